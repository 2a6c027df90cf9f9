// Four pages play a whole game of a ruleset against each other, with clicks alone: `node play.mjs URL [RULESET…]`.
// One of them loses the network twice, one is in Arabic. ESTIMATION_TEST_LONG=1 plays every ruleset in its full length; without it
// one is played, and the other tests play the rest.

import { device, dice, finish, openTable, playOn, stretch, url, words } from "./browser.mjs";

const isLong = process.env.ESTIMATION_TEST_LONG === "1";
const RULESETS = isLong ? ["plain", "squares", "double-risk", "kabooot", "nineteen"] : ["kabooot"];

/** Takes the network away until the page says so, and gives it back. */
async function loseNetwork(page) {
  await page.context().setOffline(true);
  await page.locator(".offline:not(:empty)").waitFor();
  await page.context().setOffline(false);
  await page.locator(".offline:not(:empty)").waitFor({ state: "detached" });
}

/** The requests of a page to the API from now on. When the proof of the start is requested depends on time. */
function requestsOf(page) {
  const requests = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v1/") && !pathname.endsWith("/proof")) requests.push(`${request.method()} ${pathname}`);
  });
  return requests;
}

/**
 * From the start to the end of a game, a page plays from its stream alone: it loads no view, and asks little beside its commands.
 * The page does not take the stream for late.
 * @returns the requests for each command
 */
function checkRequests(requests, path) {
  // A page whose game is over loads its record.
  const during = requests.slice(0, requests.indexOf(`GET ${path}/bundle`));
  const count = (wanted) => during.filter((request) => request === wanted).length;
  const [views, commands] = [count(`GET ${path}`), count(`POST ${path}/commands`)];
  if (views > 0 || commands === 0 || during.length > 1.2 * commands) throw new Error(`${views} views, ${commands} commands, ${during.length} requests`);
  return (during.length / commands).toFixed(2);
}

for (const ruleset of words.length > 0 ? words : RULESETS) {
  const begun = Date.now();
  const pages = await Promise.all(["en", "en", "ar", "en"].map((locale) => device({ locale })));
  const [host, ...guests] = pages;
  // The page of the second seat loses the network, and so its stream.
  for (const page of [host, ...guests.slice(1)]) await stretch(page, "game/store.js", "LATE_MS");
  await openTable(host, ruleset, { isLong, players: 4 });
  const invitation = new URL(await host.locator("[data-status=lobby] input[readonly]").inputValue()).pathname;
  for (const guest of guests) {
    await guest.goto(`${url}${invitation}`);
    await guest.locator("main button").first().click();
    await guest.locator("[data-status=lobby]").waitFor();
  }
  // The host's page shows all four before the start.
  await host.waitForFunction(() => document.querySelectorAll("[data-status=lobby] ol bdi").length === 4);
  const asked = pages.map(requestsOf);
  await host.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
  const clicks = await Promise.all(
    pages.map((page, seat) => {
      const loses = seat === 1 ? [3, 9] : [];
      return playOn(page, dice(seat + 1), async (count) => {
        if (loses.includes(count)) await loseNetwork(page);
      });
    }),
  );
  await Promise.all(pages.map((page) => page.locator(".standings").waitFor()));
  const shown = await Promise.all(pages.map((page) => page.locator(".standings tbody td:last-child").allTextContents()));
  const [first, second, , last] = shown.map(String);
  const asks = [0, 2, 3].map((seat) => checkRequests(asked[seat], `/v1${new URL(host.url()).pathname}`));
  if (first !== second || first !== last || shown[0].length !== 4) throw new Error(`${ruleset}: the pages show ${JSON.stringify(shown)}`);
  // Each page has kept a promise and a head, and finds the record as promised, with a seed of every player.
  await Promise.all(pages.map((page) => page.locator("[data-recorded=sound]").waitFor({ timeout: 60_000 })));
  await host.locator("[data-recorded] a").click();
  await host.locator(".check-line.passed").nth(5).waitFor();
  const seeds = (await host.locator(".check-line.passed").allTextContents()).filter((line) => line.includes("Seeds of players"));
  // Opened, and used at the start.
  if (!/\(8\)/.test(seeds[0] ?? "")) throw new Error(`${ruleset}: the seeds of four players are not in ${seeds}`);
  if ((await guests[1].locator("html").getAttribute("dir")) !== "rtl") throw new Error("the Arabic page is not from right to left");
  console.log(`${ruleset}: ${clicks.join(" + ")} clicks, ${asks.join(", ")} requests for each, ${Math.round((Date.now() - begun) / 1000)} s, totals ${first}`);
  await Promise.all(pages.map((page) => page.context().close()));
}

// Four strangers meet through the queue. Nobody has an account before.
const strangers = await Promise.all([1, 2, 3, 4].map(() => device()));
for (const page of strangers) {
  await page.goto(`${url}/lobby`);
  await page.locator("main .row button").first().click();
  await page.locator("section select").waitFor();
  await page.locator("section select").selectOption("kabooot");
  await page.locator("section .row button").first().click();
}
await Promise.all(strangers.map((page) => page.locator("[data-status=playing]").waitFor()));
const tables = new Set(strangers.map((page) => new URL(page.url()).pathname));
if (tables.size !== 1) throw new Error(`the strangers are at ${[...tables]}`);
// Whoever has only the address of the game can watch after one click.
const spectator = await device();
await spectator.goto(`${url}${[...tables][0]}`);
await spectator.locator("main .row button").first().click();
await spectator.locator("[data-status=playing] .table").waitFor();
if ((await spectator.locator(".hand").count()) > 0) throw new Error("a spectator sees a hand");
console.log("four strangers meet, and one watches");
await finish();
