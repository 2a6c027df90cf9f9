// What goes wrong on the way: `node network.mjs URL`, with the program in ESTIMATION_BINARY. The server dies and comes
// back during a game in two tabs; a refused command is taken back; an error goes when the network is back; the app
// starts without a network; signing out erases the token. No page is ever loaded again by hand.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { act, complaints, device, dice, expectCount, expectText, finish, openTable, playOn, turn, url } from "./browser.mjs";

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

const folder = mkdtempSync(join(tmpdir(), "estimation-"));
const port = Number(new URL(url).port);

/** Starts the server at the address of the test, with the same database each time. */
async function start() {
  const flags = ["serve", "--listen", `127.0.0.1:${port}`, "--metrics-listen", "127.0.0.1:0", "--data-dir", folder, "--log", "off", "--bot-delay", "off"];
  const server = spawn(process.env.ESTIMATION_BINARY, flags, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve, reject) => {
    server.stdout.once("data", resolve);
    server.once("exit", () => reject(new Error("the server does not start")));
  });
  return server;
}

function kill(server) {
  return new Promise((resolve) => {
    server.removeAllListeners("exit");
    server.once("exit", resolve);
    server.kill("SIGKILL");
  });
}

let server = await start();
const first = await device();
const path = await openTable(first, "squares");
await first.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
await turn(first);

// A second tab of the same player shows the same game, and each goes on where the other stopped.
const second = await first.context().newPage();
await second.goto(`${url}${path}`);
await turn(second);
let clicks = 0;
const choose = dice(9);
while ((await turn(first)) > 0) {
  const page = clicks % 2 === 0 ? first : second;
  const count = await turn(page);
  if (count === 0) break;
  const versionOf = () => page.locator("[data-version]").getAttribute("data-version");
  const version = await versionOf();
  const choice = choose(count);
  await act(page, choice);
  clicks += 1;
  if (clicks === 12 || clicks === 30) {
    await kill(server);
    server = await start();
  }
  // A click can hit nothing while cards travel.
  while ((await turn(page)) > 0 && (await versionOf()) === version) await act(page, choice);
  for (const one of [first, second]) {
    await one.waitForFunction((before) => {
      // A tap shows at once what is waiting.
      document.querySelector(".game").click();
      return Number(document.querySelector("[data-version]").dataset.version) > Number(before);
    }, version, { timeout: 90_000 });
  }
}
await first.locator(".standings").waitFor();
await expectCount(first.locator(".standings tbody tr"), 4, "the game did not end");
// The other tab shows the last round until somebody continues.
await turn(second);
await second.locator(".standings tbody tr").first().waitFor();
console.log(`two tabs and two dead servers: ${clicks} clicks`);

// A page that is opened while the server is away shows the game when it is back.
await second.evaluate(async () => (await navigator.serviceWorker.ready).active.state);
await second.reload();
await second.waitForFunction(() => navigator.serviceWorker.controller !== null);
await kill(server);
await second.goto(`${url}${path}`);
await second.locator(".notice[role=alert]").waitFor();
server = await start();
await second.locator(".standings tbody tr").first().waitFor();
await expectCount(second.locator(".notice[role=alert]"), 0, "the page still says that the server does not answer");

// A refused command is taken back, and the words of the server are shown.
await openTable(first, "nineteen", { players: 2 });
await first.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
while ((await turn(first)) > 0 && (await first.locator(".hand [data-command]").count()) === 0) await first.locator("[data-command]").first().click();
const cards = await first.locator(".hand button").count();
await first.route("**/commands", async (route) => {
  // While the answer is missing, the card is on the table already.
  await first.locator(".trick .pending .card").waitFor();
  expect((await first.locator(".hand button").count()) === cards - 1, "the card is still in the hand");
  const problem = { type: "/problems/not-your-turn", code: "not-your-turn", status: 409, title: "Not your turn", detail: "Another player must act." };
  await route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(problem) });
});
await first.locator(".hand [data-command]").first().click();
await first.locator(".notice[role=alert]").waitFor();
expect((await first.locator(".notice[role=alert]").textContent()).includes("Not your turn"), "the words of the problem are missing");
// The card goes back to the hand.
await first.waitForFunction((count) => document.querySelectorAll(".hand button").length === count, cards);
await first.unroute("**/commands");

/** Clicks the first card that can be played, and waits for the next version. */
async function playCard(page) {
  const version = await page.locator("[data-version]").getAttribute("data-version");
  await page.locator(".hand [data-command]").first().click();
  await page.waitForFunction((before) => Number(document.querySelector("[data-version]").dataset.version) > Number(before), version);
}

// While the stream does not come back, the page loads the view after its own command.
await first.route("**/stream", (route) => route.abort());
await kill(server);
server = await start();
await first.locator(".notice[role=status]").waitFor();
await playCard(first);
await first.unroute("**/stream");

// After a lost answer the command is sent again, and nobody notices.
while ((await turn(first)) > 0 && (await first.locator(".hand [data-command]").count()) === 0) await first.locator("[data-command]").first().click();
let lost = 0;
await first.route("**/commands", async (route) => {
  lost += 1;
  if (lost > 1) return route.continue();
  await route.fetch();
  await route.abort();
});
const repeated = first.waitForResponse("**/commands");
await playCard(first);
await repeated;
expect(lost === 2, `the command was sent ${lost} times`);
expect((await first.locator(".notice[role=alert]").count()) === 0, "the page shows a lost answer");
await first.unroute("**/commands");
await playOn(first, choose);

// That no answer came is said until the network is back, of what a page loads and of what a button does.
await first.goto(`${url}/lobby`);
const enter = first.locator("section.panel button:not(.quiet)").first();
await enter.waitFor();
await first.context().setOffline(true);
await enter.click();
await first.locator(".panel .notice[role=alert]").waitFor();
await first.locator("main > .notice[role=alert]").waitFor();
await first.context().setOffline(false);
await first.waitForFunction(() => document.querySelectorAll("main .notice").length === 0);

// The app starts without a network, and says so.
await first.goto(url);
await first.evaluate(async () => (await navigator.serviceWorker.ready).active.state);
await first.waitForFunction(() => navigator.serviceWorker.controller !== null);
await first.context().setOffline(true);
await first.goto(`${url}/check`);
await first.locator("main h1").waitFor();
// Chromium 148 tells a page that the service worker answers that there is a network.
await first.context().setOffline(false);
await first.context().setOffline(true);
await first.locator(".offline:not(:empty)").waitFor();
await first.context().setOffline(false);
// The account is loaded when the network is back.
const account = first.locator("header .bar-end a", { hasText: "Guest" });
await account.waitFor();

// A page that holds the session's lock for ever holds up no other page.
const holder = await first.context().newPage();
await holder.goto(`${url}/check`);
await holder.evaluate(() => void navigator.locks.request("estimation.refresh-token", () => new Promise(() => {})));
await first.reload();
await account.waitFor();
await holder.close();

// Signing out ends the session in all tabs, and leaves no secret behind.
await first.goto(`${url}/account`);
const kept = () => first.evaluate(() => Object.keys(localStorage).filter((name) => name.includes("token")));
expect((await kept()).length === 1, `kept: ${await kept()}`);
await second.goto(`${url}/lobby`);
await first.locator("button", { hasText: "Sign out" }).click();
await first.locator("form").nth(2).waitFor();
const isErased = () => !Object.keys(localStorage).some((name) => name.includes("token"));
await first.waitForFunction(isErased).catch(async () => complaints.push(`kept after signing out: ${await kept()}`));
await second.locator("main .row button").first().waitFor();
await expectText(second.locator("header a[href='/account']"), "Sign in", "the other tab is still signed in");

await kill(server);
rmSync(folder, { recursive: true });
await finish();
