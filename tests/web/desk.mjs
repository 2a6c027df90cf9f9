// The desk: `node desk.mjs URL`, with the program in ESTIMATION_BINARY. An admin, a moderator and an auditor sign in with a second
// step, and do what their roles do. ESTIMATION_PICTURES names a folder for pictures of all pages.

import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { look, looked } from "./axe.mjs";
import { device, finish, url } from "./browser.mjs";
import { api, ask, command, data, endServer, expect, guest, show, staff } from "./staff.mjs";
import { codeAfter } from "./totp.mjs";

const pictures = process.env.ESTIMATION_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });
const [nadia, omar, salma, karim] = await Promise.all(["Nadia", "عمر", "Salma", "Karim"].map(guest));

// A game of two whose first round is over, and in which somebody talks; a table that waits; a queue.
const { id: game } = await nadia.ask("POST", "/v1/games", { ruleset: "nineteen", players: 2, options: { order: "1-10-1" } });
await omar.ask("POST", `/v1/games/${game}/seats`, {});
await nadia.ask("POST", `/v1/games/${game}/start`);
for (let rounds = 0; rounds === 0; ) {
  for (const player of [nadia, omar]) {
    const { head, legal } = await player.ask("GET", `/v1/games/${game}`);
    const match = `"${head.seq}.${head.hash.slice(0, 16)}.${"0".repeat(16)}"`;
    if (legal.length > 0) await player.ask("POST", `/v1/games/${game}/commands`, legal[0], { "If-Match": match });
  }
  rounds = (await nadia.ask("GET", `/v1/games/${game}/scores`)).rounds.length;
}
expect((await omar.ask("POST", `/v1/games/${game}/reactions`, { reaction: "applause" })).status < 300, "there is no reaction");
const { id: waiting } = await salma.ask("POST", "/v1/games", { ruleset: "plain" });
await karim.ask("POST", "/v1/matchmaking", { ruleset: "squares", fill_with_bots_after: 600 });
expect((await nadia.ask("POST", "/v1/reports", { player: omar.id, game, about: "conduct", text: "He tells his cards." })).status === 201, "there is no report");

/** Looks at a page of the desk, and takes a picture. */
async function judge(page, what) {
  await look(page, what);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide <= 0, `${what} is ${wide} px too wide`);
  const texts = await page.evaluate(() => [...document.querySelector("main").innerText.matchAll(/desk\.\w+/g)].map(String));
  expect(texts.length === 0, `${what}: texts are missing: ${texts}`);
  if (pictures) await page.screenshot({ path: join(pictures, `${what.replace(/\W+/g, "-")}.png`), fullPage: true });
}

/** Does something to the account of the page. */
async function enact(page, act, fields = {}, reason = `Because of ${act}.`) {
  const form = page.locator(`details[data-act=${act}]`);
  if ((await form.getAttribute("open")) === null) await form.locator("summary").click();
  for (const [name, value] of Object.entries(fields)) {
    const field = form.locator(`[name=${name}]`);
    if (["period", "report"].includes(name)) await field.selectOption(value);
    else await field.fill(value);
  }
  await form.locator("[name=reason]").fill(reason);
  const answer = page.waitForResponse((one) => one.request().method() === "POST" && one.url().endsWith("/acts"));
  await form.locator("button[name=act]").click();
  const { act: done } = (await answer).ok() ? await (await answer).json() : {};
  if (done) await page.locator(".done p").first().waitFor();
  return done;
}

/** The account as the desk shows it. */
const inspect = (page, { id }) => api(page, "GET", `/v1/admin/accounts/${id}`);

/** What a role is not offered, and what the server refuses. */
async function isClosed(page, role, sections, requests) {
  for (const section of sections) {
    expect((await page.locator(`.desk nav a[href="/desk/${section}"]`).count()) === 0, `${role} is offered ${section}`);
    await show(page, `/desk/${section}`, ".desk > .notice");
  }
  for (const [method, path, body] of requests) {
    const { status, code } = await api(page, method, path, body);
    expect(status === 403, `${role}: ${method} ${path} is answered ${status} ${code}`);
  }
}

const DESKTOP = { width: 1280, height: 800 };
const account = (player) => `/v1/admin/accounts/${player.id}`;

// The moderator: from the overview to the report, its evidence and the account.
const [moderator, codes] = await staff("moderator", "maha", { viewport: DESKTOP }, codeAfter);
const { id: moderatorId } = await api(moderator, "GET", "/v1/me");
await judge(moderator, "moderator: overview");
await moderator.locator(".needs a[href='/desk/reports']").last().click();
await judge(moderator, "moderator: reports");
await moderator.locator("[data-list=queue] a[href^='/desk/reports/']").click();
await moderator.locator("[data-list=rounds] td").first().waitFor();
expect((await moderator.locator("[data-list=reactions] tbody tr").count()) === 1, "the evidence has no reaction");
await judge(moderator, "moderator: report");
const report = moderator.url().split("/").at(-1);
await moderator.locator("[data-list=next] button").first().click();
await moderator.locator(`.facts a[href$="${moderatorId}"]`).waitFor();
await moderator.locator("[data-list=next] a").click();
await moderator.locator("details[data-act=muted] summary").press("Enter");
expect((await moderator.locator("details[data-act=muted] [name=report]").inputValue()) === report, "the report is not chosen");
await judge(moderator, "moderator: account");

// With the keyboard alone.
for (const keys of ["Tab", "ArrowDown", "Tab", "Tab", "He told his cards.", "Tab", "Tab", "Enter"]) {
  await (/^[A-Z][a-z]+(Down)?$/.test(keys) ? moderator.keyboard.press(keys) : moderator.keyboard.type(keys));
}
await moderator.locator(".done p").first().waitFor();
let standing = await omar.ask("GET", "/v1/me/standing");
expect(!standing.may_talk && standing.may_play && standing.acts[0].reason === "He told his cards.", "the player is not muted");
expect((await inspect(moderator, omar)).acts[0].report === report, "the act does not name the report");

await enact(moderator, "noted", {}, "His second account may be karim.");
await enact(moderator, "suspended", { period: "at", at: "2099-01-31T12:00" });
standing = await omar.ask("GET", "/v1/me/standing");
expect(!standing.may_play && standing.suspended_until?.startsWith("2099-01-31"), "the player is not suspended");
expect(standing.acts.every(({ act }) => act !== "noted"), "the player sees a note");
await enact(moderator, "banned", { appeal: "Write to desk@example.org." });
standing = await omar.ask("GET", "/v1/me/standing");
expect(!standing.may_play && standing.suspended_until === null && standing.acts[0].appeal === "Write to desk@example.org.", "the player is not banned");
expect((await omar.ask("POST", "/v1/appeals", { text: "لم أفعل ذلك." })).status === 201, "there is no appeal");
await enact(moderator, "renamed", { display_name: "Omar 2" });
expect((await omar.ask("GET", "/v1/me")).display_name === "Omar 2", "the player has the former name");
await judge(moderator, "moderator: account after acts");

// The decision, which the reporter reads; the appeal.
await show(moderator, `/desk/reports/${report}`);
await moderator.locator("[name=reason]").fill("Thank you. We looked at the game.");
await moderator.locator("button[value=upheld]").click();
await moderator.locator("[data-list=next] [role=status] strong").waitFor();
const [answered] = (await nadia.ask("GET", "/v1/me/reports")).items;
expect(answered.state === "upheld" && answered.answer === "Thank you. We looked at the game.", "the reporter has no answer");
await show(moderator, "/desk/reports");
await moderator.locator("[data-list=queue] a[href^='/desk/reports/']").click();
await moderator.locator("[name=reason]").fill("The record shows it.");
await moderator.locator("button[value=dismissed]").click();
// Nobody decides an appeal against their own measure.
await moderator.locator("[data-list=next] .notice").waitFor();
command("reports", "decide", moderator.url().split("/").at(-1), "dismissed", "--reason", "The record shows it.");
await show(moderator, "/desk/reports");
await moderator.locator("input[name=all]").check();
await moderator.locator("[data-list=queue] tbody tr").nth(1).waitFor();

// Others: found by name, and by the id of a game.
await show(moderator, "/desk/accounts", ".search");
await moderator.locator("input[name=q]").fill(game);
await moderator.keyboard.press("Enter");
await moderator.locator("[data-list=found] tbody tr").nth(1).waitFor();
await judge(moderator, "moderator: accounts");
await moderator.locator("input[name=q]").fill("Omar 2");
await moderator.keyboard.press("Enter");
await moderator.locator("[data-list=found] tbody a", { hasText: "Omar 2" }).click();
await moderator.locator(".measures details").first().waitFor();
// The second step was too long ago: the act is carried out after a code.
const problem = { type: "about:blank", code: "second-step-required", title: "Second step", detail: "Too long ago.", status: 403, set_up: true, max_age: 900 };
const refuse = (route) => route.fulfill({ status: 403, contentType: "application/problem+json", body: JSON.stringify(problem) });
await moderator.route("**/acts", refuse, { times: 1 });
await enact(moderator, "lifted", { untold: "A test." });
await moderator.locator("dialog input[name=code]").fill(codes[0]);
await moderator.keyboard.press("Enter");
await moderator.locator(".done p").first().waitFor();
const { acts } = await inspect(moderator, omar);
expect((await omar.ask("GET", "/v1/me/standing")).may_play && acts[0].untold === "A test.", "the measures are not lifted");
await moderator.goBack();
await moderator.locator("[data-list=found]").waitFor();

await show(moderator, `/desk/accounts/${karim.id}`, ".measures details");
await enact(moderator, "access_given");
const link = await moderator.locator(".done input").inputValue();
expect(link.startsWith(`${url}/account#reset=`), `the link is ${link}`);
await judge(moderator, "moderator: access link");
const early = await ask(null, "POST", "/v1/sessions/recovery", { code: link.split("=")[1] });
expect(early.status === 403 && early.code === "link-too-early", `the link is answered ${early.status} ${early.code}`);
await enact(moderator, "export_sent");
await moderator.locator("details[data-act=export_sent] .notice").waitFor();
await enact(moderator, "sessions_ended");
expect((await karim.ask("GET", "/v1/me")).status === 401, "the session goes on");

await show(moderator, "/desk/queues", "[data-list=tables] tbody tr");
await moderator.locator("[data-list=waiting] tbody tr").first().waitFor();
await judge(moderator, "moderator: queues");

await show(moderator, `/desk/accounts/${salma.id}`, ".measures details");
await moderator.locator("details[data-act=deleted] summary").click();
await moderator.locator("details[data-act=deleted] [name=reason]").fill("She asked for it.");
expect(await moderator.locator("details[data-act=deleted] button").isDisabled(), "nothing is to be confirmed");
await enact(moderator, "deleted", { confirm: "Salma" });
expect((await salma.ask("GET", "/v1/me")).status === 401, "the account is not deleted");
await judge(moderator, "moderator: deleted account");

// A game is found by its address, and ended.
await show(moderator, "/desk/games", ".search");
await moderator.locator("input[name=id]").fill(`${url}/games/${game}/scores`);
await moderator.keyboard.press("Enter");
await moderator.locator("[data-act=game_ended] [name=reason]").fill("They tell each other their cards.");
await judge(moderator, "moderator: game");
await moderator.locator("[data-act=game_ended] form button").click();
await moderator.locator("[data-list=actsOn] tbody tr").first().waitFor();
expect((await nadia.ask("GET", `/v1/games/${game}`)).status === "abandoned", "the game is not ended");

const [[admin], [auditor]] = [
  await staff("admin", "adel", { locale: "ar", viewport: { width: 360, height: 740 } }, (secret, now, codes) => codes[0]),
  await staff("auditor", "aya", { locale: "en", colorScheme: "dark", viewport: DESKTOP }, (secret, now, codes) => codes[1]),
];
const { id: adminId } = await api(admin, "GET", "/v1/me");
await show(moderator, `/desk/accounts/${adminId}`, ".measures > p");
expect((await moderator.locator("details[data-act]").count()) === 0, "a moderator can act on an admin");
await isClosed(moderator, "moderator", ["entries", "accesses", "nodes", "backups", "settings"], [
  ["GET", "/v1/audit/games"], ["GET", "/v1/audit/accesses"], ["GET", "/v1/admin/nodes"], ["GET", "/v1/admin/backups"], ["GET", "/v1/admin/settings"],
  ["PUT", `${account(omar)}/role`, { role: "auditor" }], ["POST", `/v1/admin/accounts/${adminId}/acts`, { act: "noted", reason: "x" }],
  ["POST", `/v1/admin/accounts/${moderatorId}/acts`, { act: "noted", reason: "x" }], ["POST", `${account(omar)}/acts`, { act: "second_step_removed", reason: "x" }],
]);
// The auditor looks, and does nothing. Who reads the record of a private game is on record.
const { id: hidden } = await nadia.ask("POST", "/v1/games", { ruleset: "plain", visibility: "private" });
await api(auditor, "GET", `/v1/games/${hidden}/history`);
for (const [path, part] of [["/desk", ".facts"], ["/desk/log", ".facts"], ["/desk/entries", "tbody tr"], ["/desk/acts", "tbody tr"], [`/desk/games/${waiting}`, "[data-list=players]"]]) {
  await show(auditor, path, part);
  await judge(auditor, `auditor: ${path.split("/")[2] ?? "overview"}`);
}
expect((await auditor.locator("form").count()) === 0, "the auditor can end a game");
await isClosed(auditor, "auditor", ["accounts", "reports", "queues", "accesses", "nodes", "backups", "settings"], [
  ["GET", "/v1/audit/accesses"], ["GET", "/v1/admin/accounts?q=maha"], ["GET", account(omar)], ["GET", "/v1/admin/reports"], ["GET", `/v1/admin/reports/${report}`], ["GET", "/v1/admin/queues"],
  ["GET", "/v1/admin/nodes"], ["POST", `/v1/admin/games/${waiting}/end`, { reason: "x" }], ["POST", `/v1/admin/reports/${report}/take`],
  ["POST", `${account(omar)}/acts`, { act: "noted", reason: "x" }],
]);

// The admin: all pages in Arabic on a phone, then in English. Many acts have a next page.
command("backup", join(data, "copy.db"));
command("backup", "check", join(data, "copy.db"), "--record", "--keys-file", join(data, "keys.json"));
for (let count = 0; count < 45; count += 1) await api(admin, "POST", `${account(omar)}/acts`, { act: "noted", reason: `Note ${count}` });
for (const language of ["ar", "en"]) {
  await admin.evaluate((code) => (localStorage["estimation.language"] = code), language);
  await admin.goto(`${url}/desk`);
  for (const [path, part] of [
    ["/desk", ".facts"], ["/desk/reports", "[data-list=queue]"], [`/desk/reports/${report}`, "[data-list=rounds]"], ["/desk/accounts", ".search"],
    ["/desk/accounts?q=maha", "[data-list=found]"], [`/desk/accounts/${omar.id}`, ".measures"], ["/desk/games", ".search"], [`/desk/games/${game}`, ".facts"],
    ["/desk/queues", "[data-list=tables]"], ["/desk/log", ".facts"], ["/desk/acts", "tbody tr"], ["/desk/accesses", "tbody tr"], ["/desk/nodes", "tbody tr"], ["/desk/backups", "tbody tr"],
    ["/desk/settings", "tbody tr"],
  ]) {
    await show(admin, path, part);
    await judge(admin, `admin: ${path.slice(6).replace(/[0-9a-f]{8}-.*/, "one") || "overview"}, ${language}`);
  }
}
await show(admin, "/desk/acts", "[data-list=acts] tbody tr");
const shown = await admin.locator("[data-list=acts] tbody tr").count();
await admin.locator(".desk > button").click();
await admin.waitForFunction((count) => document.querySelectorAll("[data-list=acts] tbody tr").length > count, shown);

// A server that accepts no changes, as on a full disk, refreshes no session. The page says so, and goes on once it does.
const unavailable = { type: "about:blank", code: "unavailable", title: "Unavailable", detail: "The disk is full.", status: 503 };
const refuseAll = (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(unavailable) });
await admin.route("**/v1/sessions/refresh", refuseAll);
await admin.reload();
await admin.locator("main .notice", { hasText: "The disk is full." }).waitFor();
await admin.unroute("**/v1/sessions/refresh", refuseAll);
await admin.locator("[data-list=acts]").waitFor();

// Admins alone change roles, and take a second step away. Who lost it signs in without.
await show(admin, `/desk/accounts/${moderatorId}`, ".measures details");
await enact(admin, "second_step_removed");
expect(!(await inspect(admin, { id: moderatorId })).second_step, "the second step is still there");
await show(moderator, "/desk/queues", ".desk .notice ~ p a[href='/account']");
await admin.locator("[data-list=role] select").selectOption("auditor");
await admin.locator("[data-list=role] button").click();
await admin.locator("[data-list=roles] tbody tr").nth(1).waitFor();
expect((await inspect(admin, { id: moderatorId })).account.role === "auditor", "the role is the former one");

// Players have nothing of the desk: no page, no answer, no file.
const player = await device();
const loaded = [];
player.on("request", (request) => loaded.push(new URL(request.url()).pathname));
await player.goto(`${url}/account`);
await player.locator("form").first().locator("button").click();
await player.locator("main a[href^='/players/']").first().waitFor();
for (const path of ["/", "/lobby", "/people"]) {
  await player.goto(`${url}${path}`);
  await player.locator("main h1, .hero").first().waitFor();
}
expect(!loaded.some((path) => /desk/.test(path)), `a player loads ${loaded.filter((path) => /desk/.test(path))}`);
await player.goto(`${url}/desk`);
await player.locator("main h1").waitFor();
expect((await player.locator("main nav").count()) === 0, "a player sees sections");
await look(player, "player");
const { status } = await api(player, "GET", "/v1/admin/overview");
expect(status === 403, `a player is answered ${status}`);

await endServer();
console.log(`an admin, a moderator and an auditor worked at the desk; axe-core looked ${looked} times`);
await finish();
