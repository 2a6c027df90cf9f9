// The browser of the tests: Debian's Chromium. Every page is watched for errors and for requests to other hosts.

import { chromium } from "playwright-core";

export const [url, ...words] = process.argv.slice(2);

/** What went wrong in any page. */
export const complaints = [];

export const browser = await chromium.launch({
  executablePath: process.env.ESTIMATION_TEST_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});

/** Whether browsers take the address for secure. */
const isTrusted = new URL(url).protocol === "https:" || ["127.0.0.1", "localhost"].includes(new URL(url).hostname);

/**
 * A page in a context of its own, as on a device of its own. `settings` as for `newContext`, the speed of the table, and the
 * hosts that the page may visit beside the server.
 */
export async function device({ speed = "fast", visits = [], ...settings } = {}) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: "en", reducedMotion: "reduce", ...settings });
  context.setDefaultTimeout(60_000);
  await context.addInitScript((choice) => {
    if (location.protocol !== "about:") localStorage["estimation.settings"] ??= JSON.stringify({ speed: choice });
  }, speed);
  const page = await context.newPage();
  watch(page, [new URL(url).host, ...visits]);
  return page;
}

function watch(page, hosts) {
  const complain = (what) => complaints.push(`${new URL(page.url() || "about:blank").pathname}: ${what}`);
  page.on("pageerror", (error) => complain(`error: ${error.message}`));
  page.on("console", (message) => {
    // A network that is switched off, and refusals that the page shows, are in the console too.
    const isNetwork = /^Failed to load resource/.test(message.text());
    // Without https a browser ignores this header, and says so.
    const isIgnored = !isTrusted && /^The Cross-Origin-Opener-Policy header has been ignored/.test(message.text());
    if (message.type() === "error" && !isNetwork && !isIgnored) complain(message.text());
  });
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http") && !hosts.includes(host)) complain(`a request to ${host}`);
  });
  page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
}

/** Ends the test: fails if any page complained. */
export async function finish() {
  await browser.close();
  for (const complaint of complaints) console.error(complaint);
  process.exit(complaints.length > 0 ? 1 : 0);
}

/** Waits until a locator has so many elements; complains if it never does. */
export async function expectCount(locator, count, what) {
  if (count > 0) await locator.nth(count - 1).waitFor({ state: "attached" }).catch(() => {});
  await locator.nth(count).waitFor({ state: "detached" }).catch(() => {});
  const found = await locator.count();
  if (found !== count) complaints.push(`${what}: ${found}, not ${count}`);
}

/** Waits until an element has a text; complains if it never does. */
export async function expectText(locator, text, what) {
  const isThere = await locator.filter({ hasText: text }).first().waitFor().then(() => true, () => false);
  if (!isThere) complaints.push(`${what}: ${JSON.stringify(await locator.allTextContents())}`);
}

/** Waits until an asynchronous predicate holds in a page; false if it never does. `waitForFunction` takes any promise for true. */
export async function isSoonTrue(page, predicate) {
  for (let looks = 0; looks < 300; looks += 1) {
    if (await page.evaluate(predicate)) return true;
    await page.waitForTimeout(100);
  }
  return false;
}

/** Serves a module of the app to a page with a constant of an hour: what it bounds does not come on a slow machine either. */
export async function stretch(page, file, constant) {
  await page.route(`**/web/*/${file}`, async (route) => {
    const response = await route.fetch();
    const source = await response.text();
    const body = source.replace(new RegExp(`(?<=const ${constant} = )[\\d_]+`), "3_600_000");
    if (body === source) complaints.push(`${file} has no ${constant}`);
    await route.fulfill({ response, body });
  });
}

/** A random choice that is the same in each run. */
export function dice(seed) {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % count;
  };
}

/** Opens a table through the page, and returns its path. */
export async function openTable(page, ruleset, { isLong = false, players } = {}) {
  await page.goto(`${url}/new`);
  await page.locator("form select").first().selectOption(ruleset);
  if (ruleset === "nineteen") {
    if (players) await page.locator("form select").nth(1).selectOption(String(players));
  } else if (!isLong) {
    await page.locator("summary").click();
    await page.locator("select[name=length]").selectOption("micro");
  }
  await page.locator("form input[type=checkbox]").first().check();
  await page.locator("form > button").click();
  await page.locator("[data-status=lobby]").waitFor();
  return new URL(page.url()).pathname;
}

/** At a page, the version that the last turn had, and how many turns have had it. */
const looks = new WeakMap();

/** Fails when turn after turn finds the same version: no click takes effect, or the bots do not act. */
async function expectProgress(page) {
  const version = await page.locator("[data-version]").getAttribute("data-version");
  const last = looks.get(page);
  const count = last?.version === version ? last.count + 1 : 1;
  if (count > 200) throw new Error(`the game stays at version ${version}`);
  looks.set(page, { version, count });
}

/**
 * Waits until the page's player can act, and continues after rounds. Returns the number of commands, 0 when the game is over.
 * A tap shows at once what is waiting, unless the test `isPatient`.
 */
export async function turn(page, isPatient = false) {
  const state = await page.waitForFunction((waits) => {
    document.querySelector("[data-continue]")?.click();
    if (!waits) document.querySelector(".game")?.click();
    const table = document.querySelector("[data-status]");
    if (!table || table.dataset.status === "lobby") return null;
    if (table.dataset.status !== "playing") return "over";
    return table.querySelectorAll("[data-command]").length || null;
  }, isPatient, { timeout: 120_000 });
  const value = await state.jsonValue();
  if (value === "over") return 0;
  await expectProgress(page);
  return value;
}

/** A point of an element that nothing covers, from the corner of its box: cards of a hand lie over each other, and are turned. */
function freePoint(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  for (let y = 4; y < height; y += 4) {
    for (let x = 4; x < width; x += 4) {
      if (element.contains(document.elementFromPoint(left + x, top + y))) return { x, y };
    }
  }
  return { x: width / 2, y: height / 2 };
}

/** Clicks a command. The clock or a bot may have been faster, or the control goes away with what the last click did. */
export async function act(page, number) {
  const command = page.locator("[data-command]").nth(number);
  try {
    const position = await command.evaluate(freePoint, null, { timeout: 5_000 });
    await command.click({ timeout: 5_000, force: true, position });
  } catch (error) {
    if (error.name !== "TimeoutError" && !/not visible|not attached/.test(error.message)) throw error;
  }
}

/** Plays until the game is over, with clicks alone. Returns the number of clicks. */
export async function playOn(page, choose, before = async () => {}) {
  let clicks = 0;
  for (let count = await turn(page); count > 0; count = await turn(page)) {
    await before(clicks);
    await act(page, choose(count));
    clicks += 1;
  }
  return clicks;
}
