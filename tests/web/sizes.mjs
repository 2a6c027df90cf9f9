// The whole hand and the trick are on the screen, nothing jumps, and each trick stands complete: `node sizes.mjs URL [RULESET…]`.
// A short game of each ruleset against bots is looked at in all sizes: when a phase is new, and at every eighth turn of a round with
// a full hand. It ends after the round that follows, once an estimate was looked at. One more is played at normal speed, with an
// observer in the page. ESTIMATION_TEST_LONG=1 plays three whole games for that, looks twice as often, and to the end.

import { complaints, device, dice, finish, openTable, stretch, turn, url, words } from "./browser.mjs";

const RULESETS = ["plain", "squares", "double-risk", "kabooot", "nineteen"];
/** The last is 1280 × 800 at a zoom of 200 %. */
const SIZES = [[320, 568], [360, 740], [390, 844], [844, 390], [1280, 800], [3840, 2160], [640, 400]];
const isLong = process.env.ESTIMATION_TEST_LONG === "1";

/** The round with a full hand, where it is not the first. `nineteen` has no short game, so that its game ends there. */
const FULL = { nineteen: 10 };

/** At which turns of that round a page is looked at. */
const EVERY = isLong ? 4 : 8;

/** How far the hand's upper edge may move within a round, how much of a card must be free, and how far things may shift. */
const MOVES_PX = 8;
const FREE_PX = [24, 44];
const SHIFT = 0.02;
const STANDS_MS = 1_000;

/** What lies where in the page. */
function look() {
  const boxOf = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom, what: element.getAttribute("aria-label") ?? element.className };
  };
  const boxes = (selector) => [...document.querySelectorAll(selector)].map(boxOf);
  const isStacked = document.querySelector(".hand")?.dataset.rows === "2";
  const places = [...document.querySelectorAll(".hand > *")].map((card) => new DOMMatrix(getComputedStyle(card).transform));
  const byRow = Map.groupBy(places, ({ f }) => (isStacked ? Math.round(f) : 0));
  const steps = [...byRow.values()].flatMap((row) => row.slice(1).map(({ e }, index) => e - row[index].e));
  const tops = [...byRow.keys()].toSorted((one, other) => one - other);
  const round = document.querySelector(".felt")?.dataset.round;
  return {
    screen: [innerWidth, innerHeight],
    page: [document.scrollingElement.scrollWidth, document.scrollingElement.scrollHeight],
    hand: document.querySelector(".hand") && boxOf(document.querySelector(".hand")),
    cards: boxes(".hand > *"), trick: boxes(".trick .card"), seats: boxes(".seat"), calls: boxes(".calls-panel"), commands: boxes(".calls [data-command]"),
    steps, rows: tops.slice(1).map((top, index) => top - tops[index]), round,
  };
}

const overlaps = (one, other) => one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1;

/** What is wrong with what lies where in a size. */
function faults({ page: whole, hand, cards, trick, seats, calls, commands, steps, rows }, [width, height]) {
  const isOut = ({ left, top, right, bottom }) => left < 0 || top < 0 || right > width + 0.5 || bottom > height + 0.5;
  const covers = (box) => hand && overlaps(box, hand);
  return [
    ...(whole[0] > width || whole[1] > height ? [`the page has ${whole}`] : []),
    ...[...cards, ...trick, ...seats, ...commands].filter(isOut).map((box) => `${box.what} is not on the screen: ${JSON.stringify(box)}`),
    ...[...trick, ...calls].filter(covers).map((box) => `${box.what} lies over the hand: ${JSON.stringify([box, hand])}`),
    ...steps.filter((step) => step < FREE_PX[0]).map((step) => `${step} px of a card are uncovered`),
    ...rows.filter((step) => step < FREE_PX[1]).map((step) => `${step} px of a row are uncovered`),
  ];
}

/** In how many frames a page takes on a size. */
const FRAMES = 60;

/** Looks at a page in a size. A browser may change the size of the page and that of its text in different frames. */
async function check(page, ruleset, [width, height], edges, phase) {
  await page.setViewportSize({ width, height });
  let [seen, found] = [null, [""]];
  for (let frame = 0; frame < FRAMES && found.length > 0; frame += 1) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await page.evaluate(() => Promise.all(document.querySelector(".game").getAnimations({ subtree: true }).map(({ finished }) => finished.catch(() => {}))));
    seen = await page.evaluate(look);
    found = seen.screen[0] === width && seen.screen[1] === height ? faults(seen, [width, height]) : [`the screen has ${seen.screen}`];
  }
  for (const fault of found) complaints.push(`${ruleset}, ${width} × ${height}, ${phase}: ${fault}`);
  const { hand, round } = seen;
  if (!hand) return;
  const key = `${round} ${width}`;
  const { least = Infinity, most = -Infinity } = edges.get(key) ?? {};
  edges.set(key, { least: Math.min(least, hand.top), most: Math.max(most, hand.top) });
}

/** Clicks a command without a gesture of a person, after which shifts would not count. */
const press = (page, number) => page.evaluate((at) => document.querySelectorAll("[data-command]")[at]?.click(), number);

async function begin(ruleset, settings) {
  const page = await device(settings);
  // A page that is far behind the game shows no single tricks.
  await stretch(page, "show/shown.js", "OLD_MS");
  await openTable(page, ruleset, { players: 4, isLong: settings.isLong });
  await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
  return page;
}

/** A game that is looked at in all sizes. */
async function sizes(ruleset) {
  // Fewer pixels are drawn sooner, and lie at the same places.
  const page = await begin(ruleset, { reducedMotion: "reduce", deviceScaleFactor: 0.25 });
  const [edges, phases, choose] = [new Map(), new Map(), dice(7)];
  const full = FULL[ruleset] ?? 1;
  for (let [count, turns] = [await turn(page), 0]; count > 0; count = await turn(page), turns += 1) {
    const round = Number(await page.locator(".felt").getAttribute("data-round"));
    const isSeen = FULL[ruleset] ? round > full : !isLong && round > full + 1 && phases.has("estimate");
    if (isSeen) break;
    const { type } = JSON.parse(await page.locator("[data-command]").first().getAttribute("data-command"));
    if (!phases.has(type) || (round === full && turns % EVERY === 0)) {
      for (const size of SIZES) await check(page, ruleset, size, edges, type);
      phases.set(type, (phases.get(type) ?? 0) + 1);
    }
    await press(page, choose(count));
  }
  for (const [key, { least, most }] of edges) if (most - least >= MOVES_PX) complaints.push(`${ruleset}: the hand moves by ${most - least} px in round ${key}`);
  console.log(`${ruleset}: looked at ${[...phases].map(([phase, count]) => `${phase} ${count}`).join(", ")}`);
  await page.context().close();
}

/** Notes how long complete tricks stand, and what shifts. */
function observe() {
  globalThis.stood = [];
  globalThis.shifts = [];
  let from = null;
  const note = () => {
    const players = document.querySelectorAll(".seat").length;
    const isComplete = players > 0 && Number(document.querySelector(".trick")?.dataset.cards ?? 0) === players;
    if (isComplete && from === null) from = performance.now();
    if (isComplete || from === null) return;
    globalThis.stood.push(performance.now() - from);
    from = null;
  };
  new MutationObserver(note).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-cards"] });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (!hadRecentInput) globalThis.shifts.push({ value, what: sources.map(({ node }) => node?.className ?? node?.nodeName).join() });
    }
  }).observe({ type: "layout-shift" });
}

/** A game at normal speed. */
async function stands(ruleset, settings) {
  const page = await begin(ruleset, { reducedMotion: "no-preference", speed: "normal", ...settings });
  await turn(page, true);
  await page.evaluate(observe);
  const choose = dice(11);
  for (let count = await turn(page, true); count > 0; count = await turn(page, true)) await press(page, choose(count));
  const { stood, shifts } = await page.evaluate(() => ({ stood: globalThis.stood, shifts: globalThis.shifts }));
  const path = new URL(page.url()).pathname;
  const played = await page.evaluate(async (sheet) => {
    const { request } = await import(document.querySelector("script[src*='main.js']").src.replace("main.js", "api/client.js"));
    const { rounds } = (await request("GET", sheet)).data;
    return rounds.reduce((sum, { seats }) => sum + seats.reduce((all, { tricks }) => all + (tricks ?? 0), 0), 0);
  }, `/v1${path}/scores`);
  const short = stood.filter((ms) => ms < STANDS_MS);
  if (short.length > 0 || stood.length < played) complaints.push(`${ruleset}: of ${played} tricks ${stood.length} stood complete, ${short.length} for less than ${STANDS_MS} ms: ${short.map(Math.round)}`);
  for (const { value, what } of shifts.filter((one) => one.value > SHIFT)) complaints.push(`${ruleset}: ${what} shifts by ${value}`);
  console.log(`${ruleset}: ${stood.length} tricks stood complete, for ${Math.round(Math.min(...stood))} ms at least; the largest of ${shifts.length} shifts is ${Math.max(0, ...shifts.map(({ value }) => value)).toFixed(4)}`);
  await page.context().close();
}

const wanted = words.length > 0 ? words : RULESETS;
const timed = isLong ? ["plain", "kabooot", "nineteen"] : ["plain"];
await Promise.all([...wanted.map(sizes), ...timed.filter((one) => wanted.includes(one)).map((one) => stands(one, { isLong }))]);
await finish();
