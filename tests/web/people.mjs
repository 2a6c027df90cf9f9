// The people around a table: `node people.mjs URL`, with the program in ESTIMATION_BINARY. Four players become friends, meet at a
// table by invitations, react, mute, block and report; a moderator suspends one of them, who appeals.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { look, looked } from "./axe.mjs";
import { complaints, device, finish, openTable, url } from "./browser.mjs";

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

const data = mkdtempSync(join(tmpdir(), "estimation-"));
const flags = ["serve", "--listen", `127.0.0.1:${new URL(url).port}`, "--metrics-listen", "127.0.0.1:0", "--data-dir", data, "--log", "error"];
const server = spawn(process.env.ESTIMATION_BINARY, flags, { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill("SIGKILL"));
await new Promise((resolve, reject) => {
  server.stdout.once("data", resolve);
  server.once("exit", () => reject(new Error("the server does not start")));
});

/** A command of a moderator beside the running server. */
const moderate = (...words) => execFileSync(process.env.ESTIMATION_BINARY, [...words, "--data-dir", data], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

const DESKTOP = { width: 1280, height: 800 };
const GUESTS = [
  ["Nadia", { locale: "en" }],
  ["عمر", { locale: "ar", viewport: DESKTOP }],
  ["Salma", { locale: "en", viewport: DESKTOP }],
  ["كريم", { locale: "ar" }],
];
const pages = [];
const ids = [];
for (const [name, settings] of GUESTS) {
  const page = await device(settings);
  await page.goto(`${url}/account`);
  await page.locator("form").first().locator("input").fill(name);
  await page.locator("form").first().locator("button").click();
  const profile = await page.locator("main a[href^='/players/']").first().getAttribute("href");
  pages.push(page);
  ids.push(profile.split("/").at(-1));
}
const [nadia, omar, salma, karim] = pages;
const [nadiaId, , , karimId] = ids;

// Nobody is found who does not want to be. A friend code finds one.
await nadia.goto(`${url}/people`);
await nadia.locator("[data-list=code] button").click();
const code = await nadia.locator("[data-list=code] input").inputValue();
for (const page of [omar, salma, karim]) {
  await page.goto(`${url}/people`);
  await page.locator("input[name=find]").fill(code.toLowerCase());
  await page.locator("[data-list=found] .row button").first().click();
  await page.locator("[data-list=found] button[data-act=befriend]").click();
  await page.locator("[data-list=sent] li").waitFor();
}
// A friend is shown as online only by choice, which is kept.
const isKept = omar.waitForResponse((answer) => answer.url().endsWith("/v1/me/people/settings") && answer.ok());
await omar.locator("input[name=shows_presence]").check();
await isKept;
await omar.reload();
await omar.locator("input[name=shows_presence]:checked").waitFor();
await omar.goto(url);
await omar.locator(".hero").waitFor();
await nadia.reload();
await nadia.locator("[data-list=received] li").nth(2).waitFor();
await look(nadia, "people, en");
for (let rest = 3; rest > 0; rest -= 1) {
  await nadia.locator("[data-act=accept]").first().click();
  await nadia.waitForFunction((left) => document.querySelectorAll("[data-list=received] li").length === left, rest - 1);
}
expect((await nadia.locator("[data-list=friends] li").count()) === 3, "three friends are not listed");
await salma.reload();
await salma.locator("[data-list=friends] li a", { hasText: "Nadia" }).waitFor();

// Friends are invited to a table, the one who is online first, and come by the invitation.
const table = await openTable(nadia, "plain");
await nadia.locator(".invite summary").click();
await nadia.locator(".invite .presence.online").waitFor();
const names = await nadia.locator(".invite li bdi").allInnerTexts();
expect(names.length === 3 && names[0] === "عمر", `the friends to invite are ${names}`);
await look(nadia, "invite, en");
for (let friend = 0; friend < 3; friend += 1) {
  await nadia.locator(".invite li button").nth(friend).click();
  await nadia.waitForFunction((sent) => document.querySelectorAll(".invite li button:disabled").length >= sent, friend + 1);
}
for (const page of [omar, salma, karim]) {
  if (page !== omar) await page.reload();
  await page.locator(".invitations li").waitFor();
  if (page === karim) await look(page, "people with an invitation, ar");
  await page.locator(".invitations li button").first().click();
  await page.locator("[data-status=lobby]").waitFor();
  expect(new URL(page.url()).pathname === table, `the invitation leads to ${page.url()}`);
}
await nadia.locator("[data-status=lobby] .on-seat.about").nth(2).waitFor();
await nadia.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
for (const page of pages) await page.locator("[data-status=playing] .seat.own .on-seat.say").waitFor();

/** Says something from the own seat. It is `shown` for seconds, at seats of other pages: all wait for it before it is said. */
async function say(page, reaction, { what, shown = [] } = {}) {
  const button = page.locator(".seat.own .on-seat.say");
  await button.focus();
  await page.keyboard.press("Enter");
  await page.locator(`[data-reaction=${reaction}]`).waitFor();
  if (what) await look(page, what);
  const waits = shown.map((one) => one.waitFor());
  await page.locator(`[data-reaction=${reaction}]:enabled`).click();
  await Promise.all(waits);
}

/** A seat of another player, by the name. */
const seatOf = (page, name) => page.locator(".seat:not(.own)", { has: page.locator(".name", { hasText: name }) });

/** Opens the menu of a seat with the keyboard. */
async function openMenu(page, name) {
  await seatOf(page, name).locator(".on-seat.about").focus();
  await page.keyboard.press("Enter");
  await page.locator(".seat-popover.about:popover-open [data-act]").first().waitFor();
}

// A reaction rises at the seat of who said it, at all others, and is said to screen readers.
const reactionOf = (page, name) => seatOf(page, name).locator(".reaction");
const own = nadia.locator(".seat.own .reaction");
await say(nadia, "applause", { what: "reactions, en", shown: [own, ...[omar, salma, karim].map((page) => reactionOf(page, "Nadia"))] });
expect(/^⁨?Nadia/.test(await salma.locator(".heard").innerText()), "the reaction is not announced");
await look(salma, "a reaction, en");
await reactionOf(salma, "Nadia").waitFor({ state: "detached" });

// Who mutes sees nothing; the others do.
await openMenu(omar, "Nadia");
await look(omar, "menu of a seat, ar");
await omar.locator(".seat-popover:popover-open [data-act=mute]").click();
await omar.locator(".seat-popover:popover-open [data-act=unmute]").waitFor();
await omar.keyboard.press("Escape");
expect((await omar.locator(".seat-popover:popover-open").count()) === 0, "Escape does not close the menu");
const heard = await omar.locator(".heard").innerText();
await say(nadia, "well_played", { shown: [reactionOf(salma, "Nadia")] });
await omar.waitForTimeout(500);
expect((await omar.locator(".heard").innerText()) === heard, "a muted player is heard");
await say(omar, "hello", { what: "reactions, ar", shown: [reactionOf(nadia, "عمر")] });

// A report, and a block: the profile is gone.
await openMenu(salma, "كريم");
await look(salma, "menu of a seat, en");
await salma.locator(".seat-popover:popover-open > .menu > button.danger").last().click();
await salma.locator("dialog[open] textarea").fill("He tells his cards.");
await look(salma, "report, en");
await salma.locator("dialog[open] form button").click();
await salma.locator("dialog[open] [role=status]").waitFor();
await salma.locator("dialog[open] > .menu > button").click();
await salma.locator(".seat-popover:popover-open > .menu > button.danger").first().click();
await salma.locator("dialog[open] [data-act=block]").click();
await salma.locator(".seat-popover:popover-open [data-act=unblock]").waitFor();
await salma.goto(`${url}/players/${karimId}`);
await salma.locator("main .notice[role=alert]").waitFor();
await openMenu(karim, "Nadia");
await karim.locator(".seat-popover:popover-open > .menu > button.danger").last().click();
await look(karim, "report, ar");
await karim.keyboard.press("Escape");

// A moderator suspends the player, who appeals. The seat is free.
moderate("account", "suspend", karimId, "--until", "2099-01-31", "--reason", "He told his cards.");
await karim.goto(`${url}/account`);
await karim.locator(".standing .notice", { hasText: "He told his cards." }).waitFor();
await look(karim, "standing, ar");
await karim.locator("textarea[name=appeal]").fill("لم أفعل ذلك.");
await karim.locator(".standing form button").click();
await karim.locator(".standing .appeal").waitFor();
expect((await karim.locator("textarea[name=appeal]").count()) === 0, "two appeals can wait");
await karim.goto(`${url}/new`);
await karim.locator("form > button").click();
await karim.locator("main .notice[role=alert]").waitFor();

/** Decides what is open about something. */
function decide(about, decision, reason) {
  const line = moderate("reports", "list").split("\n").find((one) => one.includes(` open ${about} `));
  moderate("reports", "decide", line.split(" ")[0], decision, "--reason", reason);
}
decide("appeal", "dismissed", "The record shows it.");
decide("conduct", "upheld", "Thank you. We looked at the game.");
await karim.goto(url);
await karim.locator(".standing .appeal", { hasText: "The record shows it." }).waitFor();
await salma.goto(`${url}/people`);
await salma.locator("[data-list=reports] [data-state=upheld]", { hasText: "Thank you." }).waitFor();
await look(salma, "people with a report, en");
await salma.locator("[data-list=blocked] button").click();
await salma.locator("[data-list=blocked]").waitFor({ state: "detached" });
await salma.goto(`${url}/players/${nadiaId}`);
await salma.locator(".profile [data-act=unfriend]").waitFor();

// At a silent table there is nothing to say.
await omar.goto(`${url}/new`);
await omar.locator("form input[type=checkbox]").last().uncheck();
await omar.locator("form > button").click();
await omar.locator("[data-status=lobby] [data-act], [data-status=lobby] ol bdi").first().waitFor();
await omar.waitForTimeout(500);
expect((await omar.locator(".on-seat.say").count()) === 0, "a silent table offers reactions");

server.removeAllListeners("exit");
const isEnded = new Promise((resolve) => server.once("exit", resolve));
server.kill("SIGKILL");
await isEnded;
rmSync(data, { recursive: true, force: true });
console.log(`four players met, and one was suspended; axe-core looked ${looked} times`);
await finish();
