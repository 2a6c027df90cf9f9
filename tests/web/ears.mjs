// A whole round by ears and keys: `node ears.mjs URL`. The test finds everything by roles and names, and acts by the keyboard. What the
// announcer said is compared with the cards: each is said once, and each trick in one sentence.

import { device, finish, url } from "./browser.mjs";

const RANKS = ["Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King", "Ace"];
const DECK = ["clubs", "diamonds", "hearts", "spades"].flatMap((suit) => RANKS.map((rank) => `${rank} of ${suit}`));
/** What the keys answer at the player's turn in the first round. */
const ANSWERS = [
  ["p", /^You may play: /],
  ["t", /^(On the table: |No card lies)/],
  ["l", /^(The last trick: |There was no trick)/],
  ["c", /said/],
  ["s", /^Scores: /],
  ["r", /^Round 1 of \d+\. .*Trump: /],
  ["w", /^It is your turn\./],
];

const page = await device({ viewport: { width: 1280, height: 800 } });
/** What appeared in the live regions. */
const heard = [];
await page.exposeFunction("hear", (text) => heard.push(text));
await page.addInitScript(() => {
  localStorage.setItem("estimation.settings", JSON.stringify({ speed: "fast" }));
  const listen = (records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
      const region = node.parentElement?.closest("[role=log][aria-live], [role=status][aria-live]");
      if (region) window.hear(node.textContent);
    }
  };
  new MutationObserver(listen).observe(document, { childList: true, subtree: true });
});

/** Waits until something was heard from a sentence on. Returns it. */
async function wait(from, what, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    const found = heard.slice(from).find((text) => what.test(text));
    if (found) return found;
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  throw new Error(`"${what}" was not heard: ${heard.slice(-10).join(" | ")}`);
}

/** Presses the key of a question. */
async function ask(key, what) {
  const from = heard.length;
  await page.keyboard.press(key);
  return wait(from, what);
}

/** Goes to a control, and presses Enter. */
async function press(control) {
  await control.focus();
  await page.keyboard.press("Enter");
}

await page.goto(url);
await press(page.getByRole("button", { name: "Play now" }));
await page.getByRole("log").waitFor({ state: "attached" });
const hand = page.getByRole("group", { name: "Your cards" });
const cards = hand.getByRole("button");
const simple = page.getByRole("button", { name: /^(Pass|Keep the hand|Take seat \d|Cut after \d+ cards|Bid .+)$/ });
const estimates = page.getByRole("group", { name: "How many tricks will you take?" }).getByRole("button", { disabled: false });

let [turns, from, hasAsked] = [0, 0, false];
while (true) {
  const turn = await wait(from, /^(Your turn|You lack a suit|Round 1:)/);
  from = heard.length;
  if (turn.startsWith("Round 1:")) break;
  turns += 1;
  if (!turn.includes("play a card")) {
    await press((await simple.count()) > 0 ? simple.first() : estimates.first());
    continue;
  }
  if (!hasAsked) {
    hasAsked = true;
    const own = await ask("h", /^Your cards\./);
    const count = own.replace(/^Your cards\./, "").split(/[,;]/).length;
    if (count !== await cards.count()) throw new Error(`${own}, but there are ${await cards.count()} cards`);
    for (const [key, answer] of ANSWERS) await ask(key, answer);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
  }
  await press(hand.getByRole("button", { disabled: false }).first());
}

const said = heard.filter((text) => !/^(Your cards|You may play|On the table|The last trick)/.test(text));
const missing = DECK.filter((card) => said.filter((text) => text.includes(card)).length !== 1);
if (missing.length > 0) throw new Error(`not said once: ${missing.join(", ")}`);
const tricks = said.filter((text) => /takes? the trick\.$/.test(text));
if (tricks.length !== 13) throw new Error(`${tricks.length} tricks were said`);
// The result is a dialog, and a region above the calls as soon as the player must act. The focus stays on the button that closes it.
const dialog = page.getByRole("dialog", { name: /^Round 1/ });
const region = page.getByRole("region", { name: "Round 1" });
await dialog.or(region).getByRole("button", { name: /^(Continue|Close)$/ }).focus();
await region.waitFor();
await page.keyboard.press("Enter");
await region.waitFor({ state: "detached" });
await simple.or(estimates).first().waitFor();
console.log(`a round of ${turns} turns by ears and keys; ${heard.length} sentences, each card and each trick once`);
await finish();
