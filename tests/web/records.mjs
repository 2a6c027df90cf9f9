// Score sheet, replay, audit page and calculator: `node records.mjs URL`. A finished game is replayed and verified; a
// changed one is shown red at the right event, also when the server cannot be reached any more.

import { readFileSync } from "node:fs";

import { complaints, device, dice, finish, openTable, playOn, url } from "./browser.mjs";

const FOLDER = new URL("../fixtures/tampered/", import.meta.url);

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

const page = await device({ viewport: { width: 1280, height: 900 } });
const path = await openTable(page, "squares");
await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
await playOn(page, dice(7));

await page.goto(`${url}${path}/scores`);
await page.locator("table").first().waitFor();
expect((await page.locator("svg").count()) > 0, "no chart of scores");

// The server signs the end and proves it in the public log within seconds. Until then both checks are absent.
await page.goto(`${url}${path}/replay`);
for (let tries = 0; tries < 60; tries += 1) {
  await page.locator(".checks .verdict").waitFor();
  if ((await page.locator(".verdict.passed").count()) > 0 && (await page.locator(".check-line.passed").count()) >= 5) break;
  await page.waitForTimeout(500);
  await page.reload();
}
expect((await page.locator(".checks .verdict.passed").count()) === 1, "the replay is not green");
const passed = await page.locator(".check-line.passed").count();
expect(passed >= 5, `${passed} checks passed`);
const slider = page.locator(".viewer input[type=range]");
const last = Number(await slider.getAttribute("max"));
await page.locator("body").press("Home");
for (let step = 1; step < last; step += 1) await page.keyboard.press("ArrowRight");
expect(Number(await slider.inputValue()) === last, `the replay ends at ${await slider.inputValue()} of ${last}`);
await page.keyboard.press("ArrowLeft");
expect(Number(await slider.inputValue()) === last - 1, "the replay does not go back");
console.log(`a replay of ${last} events, ${passed} checks passed`);

// The audit page, without the server.
const cases = readFileSync(new URL("cases.ndjson", FOLDER), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const change = cases.find(({ found, steps, history }) => found.rule === "chain" && found.seq > 5 && !history.includes("list") && steps.every(({ line }) => line));
const lines = readFileSync(new URL(change.history, FOLDER), "utf8").trimEnd().split("\n");
for (const { line, remove, insert } of change.steps) lines.splice(line - 1, remove, ...insert);
await page.goto(`${url}/check`);
await page.locator("form textarea").waitFor();
await page.waitForFunction(() => document.querySelectorAll("form small")[1]?.textContent === location.host);
await page.context().setOffline(true);
const file = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });
await page.locator("form input[type=file]").nth(1).setInputFiles(file("jwks.json", readFileSync(new URL("jwks.json", FOLDER), "utf8")));
await page.locator("form input[type=file]").first().setInputFiles(file(change.history, lines.join("\n")));
await page.locator("form button").click();
await page.locator(".checks .verdict.failed").waitFor();
expect((await page.locator(".check-line.failed").count()) > 0, "no check failed");
const found = await page.locator(".checks li.row").first().textContent();
expect(found.includes("chain") && found.includes(String(change.found.seq)), `the change at ${change.found.seq} is shown as ${found}`);
await page.locator(".checks li.row button").first().click();
expect(Number(await slider.inputValue()) === change.found.seq, "the replay does not show the changed event");
await page.locator("form input[type=file]").first().setInputFiles(file("sound", readFileSync(new URL(change.history, FOLDER), "utf8")));
await page.locator("form button").click();
await page.locator(".checks .verdict.passed").waitFor();

// A deal that only the rules refuse, and a file without end.
const rigged = cases.find(({ kind, found: { rule } }) => kind === "rigged" && rule === "deal");
const altered = readFileSync(new URL(rigged.history, FOLDER), "utf8").trimEnd().split("\n");
for (const { line, remove, insert } of rigged.steps.filter(({ line }) => line)) altered.splice(line - 1, remove, ...insert);
await page.locator("form input[type=file]").first().setInputFiles(file("rigged", altered.join("\n")));
await page.locator("form button").click();
await page.locator(".checks .verdict.failed").waitFor();
expect((await page.locator(".checks li.row", { hasText: "deal" }).first().textContent()).includes(String(rigged.found.seq)), "the rigged deal is not shown");
for (const line of await page.locator(".check-line").all()) {
  const words = await line.locator("small").allTextContents();
  expect(words.length === 2 && words.every((one) => one.length > 20 && !one.includes("check.")), `a check says ${words}`);
}
await page.locator("form input[type=file]").first().setInputFiles(file("nested", "[".repeat(1_000_000)));
await page.locator("form button").click();
await page.locator(".notice[role=alert]").waitFor();
await page.context().setOffline(false);
console.log(`a change at event ${change.found.seq} is red, the sound history is green`);

await page.goto(`${url}/calculator`);
await page.locator("form").first().waitFor();
await finish();
