// How long a new player waits on a slow phone: `node speed.mjs URL`. With a round trip of 300 ms, 1.6 Mbit/s and a quarter of
// the processor, the first page is to be painted in 2 s, *Play now* to lead to a table in 3 s, a card to go down in 100 ms, and
// cards to travel in 55 frames a second.
// Times depend on the machine: they are printed. Bytes and the number of requests that wait for one another are bounded. They are
// counted with a round trip that is longer than all that the machine computes on the way, so that they depend on the app alone.

import { act, complaints, device, dice, finish, openTable, playOn, turn, url } from "./browser.mjs";

const NETWORK = { offline: false, latency: 300, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const PROCESSOR = 4;

/** What the way to the first table may load, compressed: pages and their files, without the faces of cards. */
const MOST_BYTES = 60 * 1024;

/** Requests one after another: the page, then its files; then an account, a table, the seed, and the view. */
const MOST_TO_PAINT = 2;
const MOST_TO_TABLE = 4;

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

/** A new player. */
async function visitor(network, rate) {
  const page = await device();
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  if (network) await session.send("Network.emulateNetworkConditions", network);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
  await page.addInitScript(mark);
  return [page, session];
}

/** Marks when the first page and the table are made, and drawn. */
function mark() {
  performance.setResourceTimingBufferSize(1_000);
  [globalThis.made, globalThis.drawn] = [{}, {}];
  const marks = { page: "main h1", table: ".table" };
  new MutationObserver(() => {
    for (const [name, selector] of Object.entries(marks)) {
      if (name in globalThis.drawn || !document.querySelector(selector)) continue;
      globalThis.made[name] = performance.now();
      globalThis.drawn[name] = null;
      requestAnimationFrame(() => setTimeout(() => (globalThis.drawn[name] = performance.now())));
    }
  }).observe(document, { childList: true, subtree: true });
}

/** When something was drawn, in milliseconds after the page was requested. */
async function drawn(page, name) {
  const time = await page.waitForFunction((one) => globalThis.drawn[one], name);
  return time.jsonValue();
}

/** When something was there to be drawn. What is requested later, nobody waits for. */
const made = (page, name) => page.evaluate((one) => globalThis.made[one], name);

/** The requests of the page between two times. */
const requests = (page, from, to) => page.evaluate(([from, to]) => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter(({ name, startTime, responseEnd }) => !/\/icon|\/sound\//.test(name) && startTime >= from && responseEnd > 0 && responseEnd <= to)
  .map(({ name, startTime, responseEnd, encodedBodySize }) => ({ path: new URL(name).pathname, from: startTime, to: responseEnd, bytes: encodedBodySize })), [from, to]);

/** How many requests waited for one another: the most that do not overlap. */
function sequence(list) {
  const chain = [];
  for (const one of list.toSorted((a, b) => a.to - b.to)) if (one.from >= (chain.at(-1)?.to ?? -1)) chain.push(one);
  return chain;
}

const names = (list) => list.map(({ path }) => path.replace(/^\/web\/[0-9a-f]+/, "")).join(", ");
/** Whether a request is for a page or one of its files; the faces of cards have an allowance of their own. */
const isFile = ({ path }) => !path.startsWith("/v1/") && !/\/cards\/(courts|pips)/.test(path);
const sum = (list) => list.reduce((bytes, one) => bytes + one.bytes, 0);
const seconds = (time) => `${(time / 1000).toFixed(1)} s`;

/** Goes from the first page to a table: how long both took, and what was requested for the first page, for the table, and in all. */
async function go(page) {
  await page.goto(url);
  const painted = await drawn(page, "page");
  const first = await requests(page, 0, await made(page, "page"));
  // The table is loaded while the player reads: last come the texts, for which its page waits.
  await page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name, responseEnd }) => name.endsWith("/i18n/en/table.js") && responseEnd > 0));
  const workers = await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  expect(workers === 0, "the service worker loads before the first table");
  const clicked = await page.evaluate(() => performance.now());
  await page.locator(".hero .play").click();
  const opened = (await drawn(page, "table")) - clicked;
  const end = await made(page, "table");
  return { painted, opened, first, second: await requests(page, clicked, end), all: await requests(page, 0, end) };
}

// Two requests of which neither waits for the other overlap if the round trip is longer than all computing on the way.
const [quick] = await visitor(null, 1);
const computing = await go(quick);
await quick.context().close();
const latency = Math.round(Math.max(NETWORK.latency, 2 * computing.painted, 2 * computing.opened));
const [slow] = await visitor({ ...NETWORK, latency }, 1);
const { first, second, all } = await go(slow);
await slow.context().close();
const [way, wait] = [first, second].map(sequence);
console.log(`with a round trip of ${latency} ms the first page has ${first.length} requests of ${sum(first)} bytes, ${way.length} one after another: ${names(way)}`);
expect(way.length <= MOST_TO_PAINT, `the first page waits for ${names(way)}`);
console.log(`Play now has ${second.length} requests of ${sum(second)} bytes, ${wait.length} one after another: ${names(wait)}; the whole way is ${all.length} requests of ${sum(all)} bytes`);
expect(wait.length <= MOST_TO_TABLE, `the table waits for ${names(wait)}`);
const files = all.filter(isFile);
console.log(`${files.length} of them are files of ${sum(files)} bytes, without faces of cards`);
expect(sum(files) <= MOST_BYTES, `the way to the first table is ${files.toSorted((one, other) => other.bytes - one.bytes).map(({ path, bytes }) => `${path} ${bytes}`).join(", ")}`);

const [page, session] = await visitor(NETWORK, PROCESSOR);
const { painted, opened } = await go(page);
console.log(`a phone paints the first page after ${seconds(painted)}; Play now leads to a table in ${seconds(opened)}`);

// After the first table the app is kept for the time without a network.
await page.evaluate(async () => (await navigator.serviceWorker.ready).active.state);
const kept = await page.evaluate(async () => (await (await caches.open((await caches.keys())[0])).keys()).length);
expect(kept > 80, `${kept} files are kept`);

const waits = [];
await session.send("Network.emulateNetworkConditions", { ...NETWORK, latency: 150 });
await playOn(page, dice(5), async () => {
  await page.evaluate(() => {
    const note = (event) => {
      const command = event.target.closest("[data-command]")?.dataset.command;
      if (!command || JSON.parse(command).type !== "play") return;
      const from = performance.now();
      new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => (globalThis.wait = performance.now() - from));
      }).observe(document.querySelector(".game"), { childList: true, subtree: true });
    };
    if (!globalThis.noting) document.addEventListener("click", note, { capture: true });
    globalThis.noting = true;
  });
  const wait = await page.evaluate(() => globalThis.wait);
  if (wait !== undefined) waits.push(wait);
});
waits.sort((one, other) => one - other);
const median = waits[Math.floor(waits.length / 2)];
console.log(`a card goes down in ${Math.round(median)} ms (median), ${Math.round(waits.at(-1))} ms (longest of ${waits.length})`);

/** How many of the player's turns are looked at while cards travel, and how many frames a second there are to be. */
const TURNS = process.env.ESTIMATION_TEST_LONG === "1" ? 12 : 4;
const FRAMES = 55;

/** Marks in the trace when cards begin to travel, and for how many milliseconds. */
function markTravels() {
  const { animate } = Element.prototype;
  Element.prototype.animate = function (frames, timing) {
    performance.mark(`travel ${timing.duration}`);
    return animate.call(this, frames, timing);
  };
  document.addEventListener("animationstart", ({ target, animationName }) => {
    const animation = target.getAnimations().find((one) => one.animationName === animationName);
    performance.mark(`travel ${animation?.effect.getComputedTiming().activeDuration ?? 0}`);
  });
}

/**
 * The travels of cards, those at the same time as one: for each, the times between the frames that the browser draws meanwhile, in
 * milliseconds. The page itself need not draw them.
 */
function framesOf(events) {
  const travels = [];
  const marks = events.filter(({ name }) => name.startsWith("travel ")).toSorted((one, other) => one.ts - other.ts);
  for (const { name, ts: from } of marks) {
    const to = from + 1_000 * Number(name.split(" ")[1]);
    const last = travels.at(-1);
    if (last && from <= last.to) last.to = Math.max(to, last.to);
    else travels.push({ from, to });
  }
  const draws = events.filter(({ name }) => name === "DrawFrame").map(({ ts }) => ts).toSorted((one, other) => one - other);
  return travels.map(({ from, to }) => {
    const inside = draws.filter((ts) => ts >= from && ts <= to);
    return inside.slice(1).map((ts, index) => (ts - inside[index]) / 1_000);
  });
}

const moving = await device({ reducedMotion: "no-preference", speed: "normal" });
await openTable(moving, "plain", { players: 4 });
await (await moving.context().newCDPSession(moving)).send("Emulation.setCPUThrottlingRate", { rate: PROCESSOR });
await moving.evaluate(markTravels);
const tracing = await moving.context().browser().newBrowserCDPSession();
const events = [];
tracing.on("Tracing.dataCollected", ({ value }) => events.push(...value));
const includedCategories = ["blink.user_timing", "disabled-by-default-devtools.timeline.frame"];
await tracing.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories } });
await moving.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
const choose = dice(7);
for (let turns = 0; turns < TURNS; turns += 1) await act(moving, choose(await turn(moving, true)));
const isTraced = new Promise((resolve) => tracing.once("Tracing.tracingComplete", resolve));
await tracing.send("Tracing.end");
await isTraced;
const travels = framesOf(events);
const frames = travels.flat().toSorted((one, other) => one - other);
const seen = travels.filter((times) => times.length > 0).length;
expect(seen > travels.length / 2, `of ${travels.length} travels of cards ${seen} were drawn`);
const mean = (1_000 * frames.length) / frames.reduce((all, ms) => all + ms, 0);
const late = frames.filter((ms) => ms > 2_000 / FRAMES).length;
console.log(`while cards travel, ${travels.length} times: ${Math.round(mean)} frames a second; of ${frames.length} frames ${late} take the time of two, the longest takes ${Math.round(frames.at(-1))} ms`);
await finish();
