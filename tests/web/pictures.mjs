// Takes the pictures of docs/pictures: the first page, a bid, tricks, the end of a round and of a game, rules, scores and a replay,
// on a phone and a desktop, in English and Arabic. `node pictures.mjs URL`.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";

import { act, device, dice, finish, playOn, url } from "./browser.mjs";

const FOLDER = "pictures";
mkdirSync(FOLDER, { recursive: true });

/** What is pictured on which device. */
const DEVICES = {
  "phone-en": { viewport: { width: 390, height: 844 }, wanted: ["home", "bid", "table", "round", "rules", "scores"] },
  "phone-ar": { viewport: { width: 390, height: 844 }, locale: "ar", wanted: ["home", "bid", "table", "round", "rules"] },
  "landscape-en": { viewport: { width: 844, height: 390 }, wanted: ["table"] },
  "desktop-en": { viewport: { width: 1280, height: 800 }, colorScheme: "dark", wanted: ["home", "table", "round", "podium", "replay"] },
};

async function take(page, name) {
  await page.evaluate(() => document.fonts.ready);
  // Motions end, but for those of a page whose time stands still.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== "running"), null, { timeout: 3_000 }).catch(() => {});
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
  execFileSync("cwebp", ["-quiet", "-q", "70", `${FOLDER}/${name}.png`, "-o", `${FOLDER}/${name}.webp`]);
  rmSync(`${FOLDER}/${name}.png`);
}

/** Opens a short game against bots through the API, with the account of the page. */
async function begin(page) {
  await page.goto(url);
  await page.locator(".hero .play").waitFor();
  const id = await page.evaluate(async () => {
    const [folder] = /^.*\/web\/[^/]+\//.exec(document.querySelector("script[type=module]").src);
    const { playAgainstBots } = await import(`${folder}game/tables.js`);
    return (await playAgainstBots("squares", true)).id;
  });
  await page.goto(`${url}/games/${id}`);
  return `/games/${id}`;
}

/** Waits for what comes next: the player's turn or the end of a round. */
async function next(page) {
  const state = await page.waitForFunction(() => {
    if (document.querySelector(".round-sheet, .round-strip")) return "round";
    document.querySelector(".game")?.click();
    const commands = [...document.querySelectorAll("[data-command]")].map((one) => JSON.parse(one.dataset.command).type);
    return commands.length > 0 ? commands[0] : null;
  }, null, { timeout: 120_000 });
  return state.jsonValue();
}

/** Plays the first round, and takes what is wanted on the way. */
async function firstRound(page, shot) {
  const choose = dice(4);
  for (let state = await next(page); state !== "round"; state = await next(page)) {
    if (state !== "play") await shot("bid");
    const thrown = await page.locator(".trick .card").count();
    if (state === "play" && thrown >= 2 && (await page.locator(".hand > *").count()) < 11) await shot("table");
    await act(page, choose(await page.locator("[data-command]").count()));
  }
  // It shrinks when the player must act.
  const sheet = page.locator(".round-sheet");
  while (!(await sheet.isVisible())) await page.locator(".round-strip button").first().click({ timeout: 1_000 }).catch(() => {});
  await shot("round");
}

/** Waits until the game is signed and in the public log, which takes seconds. */
async function proven(page) {
  for (let tries = 0; tries < 60; tries += 1) {
    await page.locator(".checks .verdict").waitFor();
    if ((await page.locator(".check-line.passed").count()) >= 5) return;
    await page.waitForTimeout(500);
    await page.reload();
  }
}

/** Stops the time of the page when a trick is on its way to its winner. */
function freeze() {
  const later = globalThis.setTimeout;
  let isFrozen = false;
  globalThis.setTimeout = (act, ms, ...values) => later(function run() {
    if (isFrozen) later(run, 50);
    else act(...values);
  }, ms);
  const look = () => {
    const moves = document.querySelector(".trick[data-winner]")?.getAnimations({ subtree: true }) ?? [];
    isFrozen ||= moves.length > 3 && moves.every(({ currentTime, effect }) => effect.getComputedTiming().fill === "forwards" && currentTime > 90);
    if (isFrozen) for (const motion of document.getAnimations()) motion.pause();
    globalThis.isFrozen = isFrozen;
    if (!isFrozen) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

for (const [name, { wanted, ...settings }] of Object.entries(DEVICES)) {
  const page = await device({ colorScheme: "light", ...settings });
  const taken = new Set();
  const shot = async (what) => {
    if (!wanted.includes(what) || taken.has(what)) return;
    taken.add(what);
    await take(page, `${what}-${name}`);
  };
  await page.goto(url);
  await page.locator("h3").first().waitFor();
  await shot("home");
  await page.goto(`${url}/rules/squares`);
  await page.locator("article h1").waitFor();
  await shot("rules");
  const path = await begin(page);
  await firstRound(page, shot);
  if (wanted.some((what) => ["podium", "scores", "replay"].includes(what))) {
    await playOn(page, dice(21));
    await page.locator(".standings").waitFor();
    await shot("podium");
    await page.goto(`${url}${path}/scores`);
    await page.locator("svg").first().scrollIntoViewIfNeeded();
    await shot("scores");
    await page.goto(`${url}${path}/replay`);
    await proven(page);
    for (let step = 0; step < 25; step += 1) await page.keyboard.press("ArrowRight");
    await shot("replay");
  }
  await page.context().close();
}

const page = await device({ viewport: { width: 1280, height: 800 }, reducedMotion: "no-preference", speed: "normal", colorScheme: "dark" });
await page.addInitScript(freeze);
await begin(page);
const choose = dice(4);
while (!(await page.evaluate(() => globalThis.isFrozen))) {
  const count = await page.locator("[data-command]").count();
  if (count > 0) await act(page, choose(count));
  await page.waitForTimeout(100);
}
await take(page, "sweep-desktop-en");
await finish();
