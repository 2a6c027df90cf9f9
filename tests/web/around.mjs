// What is around the table: `node around.mjs URL`. The first page, changes before the effects of a drawing, settings, the title and
// icon of a table, notifications, a removed player, profiles and leaderboards.

import { act, complaints, device, expectText, finish, openTable, turn, url } from "./browser.mjs";

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

/** The address of a module of the app. */
const moduleOf = (page, name) => page.evaluate((name) => document.querySelector("script[src$='/main.js']").src.replace("main.js", name), name);

// A new player sees one thing to do first, and where to learn.
const visitor = await device();
await visitor.goto(url);
const first = await visitor.locator("main button, main a").first().textContent();
expect(first === "Play now", `the first control of the first page is ${first}`);
for (const path of ["/learn/plain", "/rules"]) expect((await visitor.locator(`.hero a[href="${path}"]`).count()) > 0, `the first page does not lead to ${path}`);

// A page stays when the module of the page before it arrives.
let arrive;
const isDue = new Promise((resolve) => (arrive = resolve));
await visitor.route("**/pages/leaderboard.js", (route) => isDue.then(() => route.continue()));
const asked = visitor.waitForRequest("**/pages/leaderboard.js");
await visitor.locator("footer a[href='/leaderboard']").click();
await asked;
await visitor.locator("header a[href='/calculator']").click();
await visitor.locator("header a[href='/calculator'][aria-current=page]").waitFor();
await visitor.locator("main h1").waitFor();
arrive();
await visitor.evaluate(async (module) => void (await import(module)), await moduleOf(visitor, "pages/leaderboard.js"));
await visitor.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
expect((await visitor.locator("main h1").count()) === 1, "a page that was left takes its successor away");

// A guest has a name in the language of the page.
const arab = await device({ locale: "ar" });
await arab.goto(`${url}/lobby`);
await arab.locator("main button").first().click();
await arab.locator(".panel").first().waitFor();
const account = arab.locator("header a[href='/account']");
await expectText(account, /^ضيف [٠-٩]{4}$/, "the name of an Arabic guest");
const guest = await account.textContent();

// What changes after a drawing and before its effects is shown too. Effects wait for frames and timers: here until `release`.
function hold() {
  const held = [];
  const names = ["requestAnimationFrame", "setTimeout"];
  const former = names.map((name) => window[name].bind(window));
  names.forEach((name, index) => (window[name] = (...call) => held.push(() => former[index](...call))));
  window.release = () => {
    names.forEach((name, index) => (window[name] = former[index]));
    for (const begin of held) begin();
  };
}
await arab.route("**/v1/me", async (route) => {
  await account.waitFor();
  await route.continue();
});
await arab.addInitScript(hold);
await arab.goto(url);
await account.filter({ hasText: "…" }).waitFor();
await arab.evaluate(async (module) => {
  const { session } = await import(module);
  while (!session.account) await new Promise((resolve) => session.subscribe(resolve));
  window.release();
}, await moduleOf(arab, "api/session.js"));
await account.filter({ hasText: guest }).waitFor();
await arab.context().close();
await visitor.addInitScript(hold);
await visitor.goto(url);
await visitor.locator("header").waitFor();
await visitor.evaluate(() => {
  Object.defineProperty(navigator, "onLine", { configurable: true, get: () => false });
  dispatchEvent(new Event("offline"));
  window.release();
});
await visitor.locator(".offline:not(:empty)").waitFor();
// So is a part that was loaded for another place meanwhile.
await visitor.evaluate(async (module) => {
  const { html, lazy, render } = await import(module);
  const { promise: part, resolve: load } = Promise.withResolvers();
  const { promise: begun, resolve: begin } = Promise.withResolvers();
  const Part = lazy(() => (begin(), part));
  const draw = () => render(html`<${Part} />`, document.body.appendChild(Object.assign(document.createElement("p"), { className: "part" })));
  draw();
  await begun;
  draw();
  load(() => "loaded");
}, await moduleOf(visitor, "view.js"));
await visitor.locator(".part:not(:empty)").nth(1).waitFor();
await visitor.context().close();

// The settings are kept.
const page = await device({ permissions: ["notifications"] });
await page.goto(`${url}/account`);
await page.locator("input[name=settings-speed]").last().check();
await page.locator("input[name=settings-suits]").last().check();
await page.locator("input[name=settings-sound]").uncheck();
await page.locator("input[name=settings-notify]").check();
// The browser is asked first.
await page.waitForFunction(() => JSON.parse(localStorage["estimation.settings"]).notify);
await page.reload();
await page.locator(".settings input").first().waitFor();
const chosen = await page.locator(".settings input").evaluateAll((inputs) => inputs.map(({ checked }) => checked));
expect(chosen.join() === "false,false,true,false,true,true,false,false,true", `the settings are ${chosen}`);
await page.locator("input[name=settings-language]").last().check();
await page.locator("html[lang=ar]").waitFor({ state: "attached" });
await page.locator("input[name=settings-language]").first().check();
await page.locator("html[lang=en]").waitFor({ state: "attached" });

// The title says the game and whose turn it is, and so does the icon.
const path = await openTable(page, "plain");
const title = (words) => page.waitForFunction((words) => document.title.includes(words), words);
await title("1 of 4 seats taken");
await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
await turn(page);
await title("Your turn");
const icon = () => page.evaluate(() => document.querySelector("link[rel=icon]").href);
expect((await icon()).endsWith("/icon-turn.svg"), `the icon on one's turn is ${await icon()}`);

// The words of a phase open where one calls, and go with the page. From the rules one comes back to the table.
const term = page.locator(".terms .word").first();
for (await turn(page); !(await term.isVisible()); await turn(page)) await act(page, 0);
await term.click();
await page.locator("dialog.explanation[open]").waitFor();
await page.goBack();
await page.locator("dialog.explanation").waitFor({ state: "detached" });
await page.locator(`header a[href="${path}"]`).click();
await page.locator(".felt-bar-end > button").last().click();
await page.locator("dialog[open] a[href='/rules/plain']").click();
await page.locator(".rules").waitFor();
await page.locator(`header a[href="${path}"]`).click();
await turn(page);
await title("Your turn");

// A hidden page notifies, once, and takes it back when it is looked at. Chromium without a screen hides no page.
await page.evaluate(async () => (await navigator.serviceWorker.ready).active.state);
const hide = (hidden) => page.evaluate((hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}, hidden);
const notifications = () => page.evaluate(async () => (await (await navigator.serviceWorker.getRegistration()).getNotifications()).map(({ title, body }) => `${title}: ${body}`));
async function notified(count) {
  const isCount = async (count) => (await (await navigator.serviceWorker.getRegistration()).getNotifications()).length === count;
  await page.waitForFunction(isCount, count).catch(async () => complaints.push(`there are ${await notifications()}, not ${count}`));
}
await hide(true);
expect((await notifications()).length === 0, "a turn that was seen is notified");
const version = () => page.locator("[data-version]").getAttribute("data-version");
/** Acts until the table moves: a click can hit nothing while cards travel. */
async function move() {
  const before = await version();
  for (let clicks = 0; clicks < 100 && (await version()) === before; clicks += 1) {
    await act(page, 0);
    expect((await turn(page)) > 0, "the game is over and nothing was notified");
  }
}
await move();
// A second click of `move` can end the turn that was notified: then the next turn is.
const tells = async (words) => (await (await navigator.serviceWorker.getRegistration()).getNotifications()).map(({ title, body }) => `${title}: ${body}`).join().startsWith(words);
await page.waitForFunction(tells, "Your turn: The table waits for you").catch(async () => complaints.push(`the notifications say ${await notifications()}`));
await notified(1);
// The end of a turn takes its own notification back, however late the browser lists it, and not that of the next turn.
const module = (await icon()).replace("icon-turn.svg", "signals/notification.js");
await page.evaluate(async (module) => {
  const { notify, silence } = await import(module);
  const list = ServiceWorkerRegistration.prototype.getNotifications;
  await notify("another", "A turn", "Another game");
  ServiceWorkerRegistration.prototype.getNotifications = async function (filter) {
    const listed = await list.call(this, filter);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return listed;
  };
  await Promise.all([silence("another"), notify("another", "The next turn", "Another game")]);
  ServiceWorkerRegistration.prototype.getNotifications = list;
}, module);
await notified(2);
await page.evaluate(async (module) => (await import(module)).silence("another"), module);
await hide(false);
await notified(0);

// Leaving the table gives the title and the icon back. The list of games says that it is the player's turn.
await page.goto(`${url}/`);
await page.locator(".own-games li", { hasText: "Your turn" }).first().waitFor();
expect((await page.title()) === "Estimation" && (await icon()).endsWith("/icon.svg"), `after the table: ${await page.title()}, ${await icon()}`);

// The host removes a player. The former invitation does not work any more.
await openTable(page, "squares");
const invitation = async () => new URL(await page.locator("[data-status=lobby] input[readonly]").inputValue()).pathname;
const former = await invitation();
const other = await device();
const sit = async (at) => {
  await other.goto(`${url}${at}`);
  await other.locator("main button").first().click();
};
await sit(former);
await other.locator("[data-status=lobby]").waitFor();
const remove = page.locator("[data-status=lobby] li button", { hasText: "Remove" });
await remove.click();
await page.getByText("The former invitation does not work any more").waitFor();
await page.waitForFunction((former) => !document.querySelector("[data-status=lobby] input[readonly]").value.endsWith(former), former);
await remove.waitFor({ state: "detached" }).catch(() => complaints.push("the removed player still has a seat"));
await other.goto(`${url}${former}`);
await other.locator("main .notice, main button").first().waitFor();
if ((await other.locator("main .notice").count()) === 0) await other.locator("main button").first().click();
await other.locator("main .notice[role=alert]").waitFor();
await sit(await invitation());
await other.locator("[data-status=lobby]").waitFor();
await page.waitForFunction(() => document.querySelectorAll("[data-status=lobby] ol bdi").length === 2);

// Profiles and leaderboards.
await page.goto(`${url}/account`);
await page.locator("a[href^='/players/']").click();
await page.locator(".profile h1").waitFor();
await page.getByText("No game is finished yet.").waitFor();
await page.locator("section", { hasText: "Recent games" }).locator("li a").first().waitFor();
await page.locator(".profile a[href='/leaderboard']").click();
await page.getByText("Nobody has played enough rated games yet.").waitFor();
await page.locator("[role=group] button").last().click();
await page.locator("[role=group] button[aria-pressed=true]").last().waitFor();
console.log(`around the table of ${path}`);
await finish();
