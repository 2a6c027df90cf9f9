// Rules, words and the first games, without an account, with axe-core over all of them: `node learn.mjs URL`.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { complaints, device, finish, url } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULESETS = ["plain", "nineteen", "squares", "kabooot", "double-risk"];
const BOOK = ["common", "options", ...RULESETS];

/** Complains about violations of a page as it is now. */
async function look(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(async () => {
    await Promise.allSettled(document.getAnimations().map((motion) => motion.finished));
    return globalThis.axe.run(document, { resultTypes: ["violations"] });
  });
  for (const { id, nodes } of violations) complaints.push(`${what}: ${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

const expect = (isTrue, what) => isTrue || complaints.push(what);

/** A choice of a lesson. Bids name their number and their trump first. */
async function choose(page, command) {
  const control = page.locator(`[data-command='${JSON.stringify(command)}']`);
  for (const choice of command.type === "bid" ? await page.locator(".calls .choice").all() : []) {
    if ((await control.count()) > 0) break;
    await choice.click();
    for (const suit of await page.locator(".calls .choice.suit:enabled").all()) if ((await control.count()) === 0) await suit.click();
  }
  await control.dispatchEvent("click");
}

/** What is marked when a step speaks of it. */
const MARKED = { hand: ".hand > *", trump: ".felt-bar .pill.trump", calls: ".token", totals: ".seat .total" };

/** Plays a lesson to its end. At each choice a wrong one is explained first. */
async function lesson(page, ruleset, what) {
  const { steps } = (await import(`../../web/learn/texts/games/${ruleset}.js`)).default;
  await page.goto(`${url}/learn/${ruleset}`);
  for (const { say, right, points } of steps) {
    await page.locator(`[data-lesson=${say}]`).waitFor();
    for (const [name, selector] of Object.entries(MARKED)) {
      const outlines = await page.locator(selector).evaluateAll((all) => all.map((one) => getComputedStyle(one).outlineStyle));
      const isRight = name === points ? outlines.length > 0 && outlines.every((one) => one === "solid") : !outlines.includes("solid");
      expect(isRight, `${what} ${say}: ${name} has outlines ${outlines}`);
    }
    if (right || say === steps.at(-1).say) await look(page, `${what} ${say}`);
    if (right) {
      const wrong = page.locator(`[data-command]:not([data-command='${JSON.stringify(right)}']), .hand [aria-disabled], .calls [aria-disabled]`).first();
      await wrong.dispatchEvent("click");
      await page.locator(".coach .comment").waitFor();
      await choose(page, right);
    } else if (say !== steps.at(-1).say) await page.locator("[data-next]").click();
  }
}

for (const [locale, colorScheme] of [["en", "light"], ["ar", "dark"]]) {
  const page = await device({ locale, colorScheme });
  await page.goto(`${url}/rules`);
  await page.locator(".glossary dt").first().waitFor();
  await look(page, `/rules ${locale}`);
  for (const id of RULESETS) {
    await page.locator(`main a[href='/rules/${id}']`).first().click();
    await page.locator(".told-table").first().waitFor();
    await look(page, `/rules/${id} ${locale}`);
    await page.locator("main a[href='/rules']").click();
    await page.locator(".glossary").first().waitFor();
  }
  for (const id of BOOK) {
    await page.goto(`${url}/rules/${id}/book`);
    await page.locator("main h2").first().waitFor();
    await look(page, `/rules/${id}/book ${locale}`);
  }
  // A word by the keyboard, another one from it, and back to where it was opened.
  await page.goto(`${url}/rules/squares`);
  await page.locator(".word[data-word=with]").first().focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog[data-word=with]").waitFor();
  await look(page, `a word ${locale}`);
  await page.locator("dialog .word").first().click();
  await page.locator("dialog[data-word=bidder]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog.explanation").waitFor({ state: "detached" });
  expect(await page.evaluate(() => document.activeElement?.dataset.word === "with"), `${locale}: the focus does not return to the word`);
  // Each option of a table opens its word.
  await page.goto(`${url}/new`);
  await page.locator("summary").click();
  const options = await page.locator(".option .word").all();
  expect(options.length > 5, `${locale}: ${options.length} options`);
  for (const option of options) {
    await option.click();
    await page.locator("dialog.explanation h2").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog.explanation").waitFor({ state: "detached" });
  }
  for (const ruleset of ["plain", "nineteen"]) await lesson(page, ruleset, `/learn/${ruleset} ${locale}`);
  // It leads to a real game. Before, nothing needs an account.
  expect(await page.evaluate(() => !Object.keys(localStorage).some((key) => key === "estimation.refresh-token")), "a lesson opens an account");
  await page.locator(".coach .row button").first().click();
  await page.waitForURL(/\/games\//);
  await page.locator("[data-status=playing]").waitFor();
  await page.context().close();
}
console.log("rules, words and two first games in both languages");
await finish();
