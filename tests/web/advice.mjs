// A card that may not be played says why, and a hint says what a bot would do: `node advice.mjs URL`.

import { act, device, dice, finish, turn, url } from "./browser.mjs";

const page = await device();
const posted = [];
page.on("request", (request) => {
  const { pathname } = new URL(request.url());
  if (request.method() === "POST" && pathname.endsWith("/commands")) posted.push(request.postData());
});
await page.goto(url);
await page.locator(".hero button").click();

const random = dice(11);
const playable = page.locator(".hand [data-command]");
const barred = page.locator(".hand button[aria-disabled]");
const bubble = page.locator(".why .bubble");
let steps = 0;
for (let count = await turn(page); ; count = await turn(page)) {
  if (count === 0) throw new Error("every card could be played all through the game");
  if ((await playable.count()) > 0 && (await barred.count()) > 0) break;
  await act(page, random(count));
  steps += 1;
}

const before = posted.length;
const card = await barred.first().getAttribute("aria-label");
// The middle of a fanned card may be covered.
await barred.first().dispatchEvent("click");
await bubble.waitFor();
const reason = await bubble.textContent();
console.log(`${card} after ${steps} clicks: ${reason}`);
if (posted.length !== before) throw new Error("a card that is not legal was posted as a command");

/** How many controls have the ring of a hint, if there are such controls as `isWanted` says; else null. */
function marks(isWanted) {
  // The focus has a ring too.
  document.activeElement?.blur();
  const hasRing = (control) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(control);
    return outlineStyle === "solid" && outlineWidth === "3px";
  };
  const count = [...document.querySelectorAll("[data-command]")].filter(hasRing).length;
  return count > 0 === isWanted ? { count } : null;
}

if (await page.evaluate(marks, true)) throw new Error("a card is marked before a hint");
await page.locator("button.hint").click();
await page.locator("dialog[open] button").first().click();
await page.waitForFunction(() => document.querySelector(".why .bubble")?.textContent.startsWith("A bot would play"));
console.log(await bubble.textContent());
// The ring comes after the words.
const { count: marked } = await (await page.waitForFunction(marks, true)).jsonValue();
if (marked !== 1) throw new Error(`${marked} cards are marked`);
// From the second one on, no question is asked.
await page.locator("button.hint").click();
await page.waitForFunction(() => !document.querySelector("button.hint").disabled);
if ((await page.locator("dialog[open]").count()) > 0) throw new Error("the second hint asks again");
await page.locator(".hand [data-command]").nth(0).dispatchEvent("click");
await page.waitForFunction(() => !document.querySelector(".why .bubble"));
await page.waitForFunction(marks, false).catch(() => Promise.reject(new Error("the mark stays after the turn")));
await finish();
