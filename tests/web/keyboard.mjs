// A game against three bots, from the first page to the end, with the keyboard alone: `node keyboard.mjs URL`.

import { device, expectCount, finish, turn, url } from "./browser.mjs";

const page = await device({ viewport: { width: 1280, height: 800 } });
await page.goto(url);
await page.locator(".hero button").waitFor();

/** Waits until the focus is where it is to be. */
const isReached = (fits, complaint) => page.waitForFunction(fits).catch(() => Promise.reject(new Error(complaint)));

/** Presses Tab until the focus is on an element that `fits`. */
async function tabTo(fits, what) {
  for (let presses = 0; presses < 80; presses += 1) {
    if (await page.evaluate(fits)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the keyboard does not reach ${what}`);
}

await tabTo(() => document.activeElement.matches(".skip"), "the link to the content");
await page.keyboard.press("Enter");
await isReached(() => document.activeElement.id === "page", "the link to the content leads nowhere");

const isCommand = () => document.activeElement.matches("[data-command]");

await tabTo(() => document.activeElement.matches(".hero button"), "the first button");
await page.keyboard.press("Enter");
let [presses, playsCard] = [0, false];
while (await turn(page)) {
  const version = await page.locator("[data-version]").getAttribute("data-version");
  // After a card that is not the last one the focus is still in the hand, where the arrows lead to one that can be played.
  if (playsCard) {
    await isReached(() => document.activeElement.matches("[data-command], .hand button"), "the focus left the hand");
  }
  if ((await page.locator(".hand [data-command]").count()) > 0) {
    await tabTo(() => document.activeElement.matches(".hand button"), "the hand");
    await page.keyboard.press("Home");
    for (let steps = 0; steps < 14 && !(await page.evaluate(isCommand)); steps += 1) await page.keyboard.press("ArrowRight");
    playsCard = (await page.locator(".hand button").count()) > 1;
  } else {
    await tabTo(isCommand, "a command");
    playsCard = false;
  }
  await page.keyboard.press("Enter");
  presses += 1;
  await page.waitForFunction((before) => document.querySelector("[data-version]").dataset.version !== before, version);
}
await expectCount(page.locator(".standings tbody tr"), 4, "standings");
console.log(`a game of ${presses} turns by keyboard`);
await finish();
