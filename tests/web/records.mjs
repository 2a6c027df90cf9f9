// Score sheet, replay, audit page and calculator: `node records.mjs URL`. A finished game is replayed, verified and saved as a
// bundle; a changed one is shown red at the right event, also when the server cannot be reached any more.

import { readFileSync } from "node:fs";

import { complaints, device, dice, expectCount, expectText, finish, openTable, playOn, url } from "./browser.mjs";

const FOLDER = new URL("../fixtures/tampered/", import.meta.url);

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

const page = await device({ viewport: { width: 1280, height: 900 } });
const path = await openTable(page, "squares");
await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();

// While the game is played the page keeps a proof of the start: it asks again until the log has the start, once at a time.
const KEPT = "estimation.kept";
const id = path.split("/").at(-1);
const refusal = (code) => ({ status: 409, contentType: "application/problem+json", body: JSON.stringify({ type: `/problems/${code}`, title: code, status: 409, detail: "", code }) });
let [asked, open, most] = [0, 0, 0];
await page.route("**/proof?entry=start", async (route) => {
  [asked, open] = [asked + 1, open + 1];
  most = Math.max(most, open);
  if (asked === 1) await route.fulfill(refusal("not-logged"));
  else await route.fulfill({ response: await route.fetch() });
  open -= 1;
});
await page.locator("[data-status=playing]").waitFor();
const kept = await page.waitForFunction(([name, id]) => JSON.parse(localStorage.getItem(name) ?? "{}")[id]?.start, [KEPT, id], { timeout: 60_000 });
expect((await kept.jsonValue()).startsWith("c2sp.org/tlog-proof@v1\n"), "no proof of the start is kept");
expect(most === 1 && asked >= 2, `${asked} requests for the proof of the start, ${most} at a time`);
const before = asked;
await playOn(page, dice(7));
await page.locator("[data-recorded=sound]").waitFor();
expect(asked === before, "a kept proof was requested again");

await page.goto(`${url}${path}/scores`);
await page.locator("table").first().waitFor();
await page.locator("svg").first().waitFor({ state: "attached" }).catch(() => complaints.push("no chart of scores"));

// Until the public log has the end, the page shows the history alone, and asks again.
const paths = [];
page.on("request", (request) => paths.push(new URL(request.url()).pathname));
let isEarly = true;
await page.route(`**/v1/games/${id}/bundle`, (route) => (isEarly ? route.fulfill(refusal("not-logged")) : route.continue()));
await page.goto(`${url}${path}/replay`);
await page.locator("a[download$='.ndjson']").waitFor();
await expectCount(page.locator(".check-line.absent", { hasText: "Public log" }), 2, "checks of the public log without its proofs");
isEarly = false;
paths.length = 0;
await page.locator(`a[download="estimation-${id}.json"]`).waitFor();
const others = paths.filter((one) => /history|proof|jwks|log\/key/.test(one));
expect(others.length === 0, `beside the bundle the page loads ${others}`);
const verdict = page.locator(".checks .verdict");
await expectText(verdict, "Sound by the keys in this file", "the replay says");
const keys = await page.locator(".checks code").allTextContents();
expect(keys.length === 2 && /^[\w-]{43}$/.test(keys[0]) && /^\S+\+[0-9a-f]{8}\+\S+$/.test(keys[1]), `the keys of the file are ${keys}`);
const PASSED = 8;
await expectCount(page.locator(".check-line.passed"), PASSED, "passed checks");
const ofStart = page.locator(".check-line", { hasText: "Start in the public log" });
await expectText(ofStart, "a checkpoint that this browser got while the game was played", "the kept proof is not named");

// The bundle is saved. Its command is beside it.
const saving = page.waitForEvent("download");
await page.locator(`a[download="estimation-${id}.json"]`).click();
const saved = readFileSync(await (await saving).path(), "utf8");
expect(Object.keys(JSON.parse(saved)).join() === "header,events,end,proofs", `the bundle has ${Object.keys(JSON.parse(saved))}`);
expect((await page.locator(".panel .share input").nth(1).inputValue()) === `estimation-audit verify estimation-${id}.json`, "another command");

const slider = page.locator(".viewer input[type=range]");
const last = Number(await slider.getAttribute("max"));
await page.locator("body").press("Home");
for (let step = 1; step < last; step += 1) await page.keyboard.press("ArrowRight");
expect(Number(await slider.inputValue()) === last, `the replay ends at ${await slider.inputValue()} of ${last}`);
await page.keyboard.press("ArrowLeft");
expect(Number(await slider.inputValue()) === last - 1, "the replay does not go back");
console.log(`a replay of ${last} events, ${PASSED} checks passed`);

// What was kept must fit; without it, the time of the start is the service's word.
const leave = async (change) => {
  await page.evaluate(([name, id, change]) => {
    const games = JSON.parse(localStorage.getItem(name));
    localStorage.setItem(name, JSON.stringify({ [id]: { ...games[id], ...change } }));
  }, [KEPT, id, change]);
  await page.reload();
  await page.locator(".check-line").first().waitFor();
};
const { log, head, openings, start } = await page.evaluate(([name, id]) => JSON.parse(localStorage.getItem(name))[id], [KEPT, id]);
expect(openings?.length === 1 && openings[0].seq < head.seq && /^[0-9a-f]{64}$/.test(openings[0].hash), `the heads before the opening are ${JSON.stringify(openings)}`);
await leave({ openings: [{ ...openings[0], hash: "0".repeat(64) }] });
await expectCount(page.locator(".check-line.failed", { hasText: "What this browser kept" }), 1, "a log that was written again after the opening is not found");
await leave({ openings });
await leave({ log: { ...log, leaf: "0".repeat(64) } });
await expectCount(page.locator(".check-line.failed", { hasText: "What this browser kept" }), 1, "another promise is not found");
await leave({ log, start: start.replace(/index \d+/, "index 99999") });
await expectCount(page.locator(".verdict.failed"), 1, "a kept proof that is wrong is not found");
await leave({ start: undefined });
await expectCount(page.locator(".verdict.passed"), 1, "a game without a kept proof is not sound");
await expectText(ofStart, "the service's word", "the time of the start is not the service's word");
console.log("the bundle is saved, and compared with what was kept");

// A bundle of which a part cannot be checked is not one that is wrong.
const showsRecord = async (change, state, text) => {
  const changed = JSON.parse(saved);
  change(changed);
  await page.unroute(`**/v1/games/${id}/bundle`);
  await page.route(`**/v1/games/${id}/bundle`, (route) => route.fulfill({ json: changed }));
  await page.goto(`${url}${path}`);
  await page.locator(`[data-recorded=${state}]`, { hasText: text }).waitFor();
};
await showsRecord(() => {}, "sound", "Dealt and recorded as promised");
await showsRecord(({ proofs }) => proofs.log_keys.splice(0), "unknown", "The record could not be checked");
await showsRecord(({ end }) => (end.head = "0".repeat(64)), "broken", "The record is not as promised");
await page.unroute(`**/v1/games/${id}/bundle`);

// The audit page, without the server.
const cases = readFileSync(new URL("cases.ndjson", FOLDER), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const change = cases.find(({ found, steps, history }) => found.rule === "chain" && found.seq > 5 && !history.includes("list") && steps.every(({ line }) => line));
const lines = readFileSync(new URL(change.history, FOLDER), "utf8").trimEnd().split("\n");
for (const { line, remove, insert } of change.steps) lines.splice(line - 1, remove, ...insert);
await page.goto(`${url}/check`);
await page.locator("form textarea").waitFor();
await page.waitForFunction(() => document.querySelectorAll("form small")[1]?.textContent.startsWith(location.host));
await page.context().setOffline(true);
const file = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });
await page.locator("form input[type=file]").nth(1).setInputFiles(file("jwks.json", readFileSync(new URL("jwks.json", FOLDER), "utf8")));
await page.locator("form input[type=file]").first().setInputFiles(file(change.history, lines.join("\n")));
await page.locator("form button").click();
await page.locator(".checks .verdict.failed").waitFor();
await page.locator(".check-line.failed").first().waitFor().catch(() => complaints.push("no check failed"));
const finding = page.locator(".checks li[data-rule]").first();
const found = await finding.textContent();
expect((await finding.getAttribute("data-rule")) === "chain" && found.includes(String(change.found.seq)), `the change at ${change.found.seq} is shown as ${found}`);
expect(found.includes("or one before it, was changed"), `the change is called ${found}`);
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
expect((await page.locator(".checks li[data-rule=deal]").first().textContent()).includes(String(rigged.found.seq)), "the rigged deal is not shown");
for (const line of await page.locator(".check-line").all()) {
  const words = await line.locator("small").allTextContents();
  expect(words.length === 2 && words.every((one) => one.length > 20 && !one.includes("check.")), `a check says ${words}`);
}
// A file that breaks off is no forgery, and one without a whole event is no game.
const sound = readFileSync(new URL(change.history, FOLDER), "utf8");
for (const part of [sound.slice(0, sound.length >> 1), sound.trimEnd().split("\n").slice(0, -1).join("\n")]) {
  await page.locator("form input[type=file]").first().setInputFiles(file("part", part));
  await page.locator("form button").click();
  await page.locator(".checks .verdict.unchecked", { hasText: "The file breaks off" }).waitFor();
  const words = await page.locator(".checks li[data-rule]").allTextContents();
  expect(words.length === 1 && words[0].startsWith("The end of the record is missing"), `a file that breaks off is shown as ${words}`);
}
await page.locator("form input[type=file]").first().setInputFiles(file("part", sound.slice(0, 40)));
await page.locator("form button").click();
await page.locator(".notice[role=alert]", { hasText: "The file breaks off" }).waitFor();
await page.locator("form input[type=file]").first().setInputFiles(file("nested", "[".repeat(1_000_000)));
await page.locator("form button").click();
await page.locator(".notice[role=alert]").waitFor();
await page.context().setOffline(false);
console.log(`a change at event ${change.found.seq} is red, the sound history is green`);

// The saved bundle, with its own keys, and then with another proof of its end.
const byFile = async (text) => {
  await page.locator("form input[type=file]").first().setInputFiles(file("bundle.json", text));
  await page.locator("form button").click();
};
await page.reload();
await page.locator("form textarea").waitFor();
await page.context().setOffline(true);
await byFile(saved);
await page.locator(".checks .verdict.passed", { hasText: "Sound by the keys in this file" }).waitFor();
await page.locator(`a[download="estimation-${id}.json"]`).waitFor();
const { proofs, ...rest } = JSON.parse(saved);
await byFile(JSON.stringify({ ...rest, proofs: { ...proofs, end: proofs.start } }));
await page.locator(".checks .verdict.failed").waitFor();
await byFile(JSON.stringify({ ...rest, proofs: { ...proofs, log_keys: [] } }));
await page.locator(".checks .verdict.unchecked").waitFor();
await expectCount(page.locator(".check-line.unchecked"), 2, "a log without a key was checked");
await page.context().setOffline(false);
console.log("the saved bundle is sound by its keys, a changed one is not");

await page.goto(`${url}/calculator`);
await page.locator("form").first().waitFor();
await finish();
