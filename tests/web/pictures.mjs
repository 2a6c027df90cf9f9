// Takes the pictures of docs/pictures: lobby, table, score chart and replay, on a phone and a desktop, in English and
// Arabic. `node pictures.mjs URL`.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";

import { device, dice, finish, openTable, playOn, turn, url } from "./browser.mjs";

const FOLDER = "pictures";
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };
mkdirSync(FOLDER, { recursive: true });

async function take(page, name) {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
  execFileSync("cwebp", ["-quiet", "-q", "65", `${FOLDER}/${name}.png`, "-o", `${FOLDER}/${name}.webp`]);
  rmSync(`${FOLDER}/${name}.png`);
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

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const locale of ["en", "ar"]) {
    const page = await device({ viewport, locale, colorScheme: size === "phone" ? "light" : "dark" });
    const name = (what) => `${what}-${size}-${locale}`;
    await page.goto(url);
    await page.locator("h3").first().waitFor();
    await take(page, name("home"));
    const path = await openTable(page, "squares");
    await take(page, name("lobby"));
    await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
    let isTaken = false;
    await playOn(page, dice(21), async (clicks) => {
      if (clicks < 30 || isTaken || (await page.locator(".hand [data-command]").count()) === 0) return;
      isTaken = true;
      await turn(page);
      await take(page, name("table"));
    });
    await page.goto(`${url}${path}/scores`);
    await page.locator("svg").first().scrollIntoViewIfNeeded();
    await take(page, name("scores"));
    await page.goto(`${url}${path}/replay`);
    await proven(page);
    for (let step = 0; step < 25; step += 1) await page.keyboard.press(locale === "ar" ? "ArrowLeft" : "ArrowRight");
    await take(page, name("replay"));
    await page.context().close();
  }
}
await finish();
