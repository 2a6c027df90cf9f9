// The app over plain http at an address of the network, where browsers offer neither their own hashes nor service
// workers: a game is played, and its checks pass with the library of the app. `node insecure.mjs URL`.

import { complaints, device, dice, expectCount, finish, openTable, playOn, url } from "./browser.mjs";

const page = await device();
const path = await openTable(page, "double-risk");
const context = await page.evaluate(() => ({ isSecureContext, subtle: crypto.subtle !== undefined, worker: "serviceWorker" in navigator }));
if (context.isSecureContext || context.subtle || context.worker) complaints.push(`the context is secure: ${JSON.stringify(context)}`);
await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
await playOn(page, dice(11));
// The public log has the end after some seconds.
await page.evaluate(async (path) => {
  const { pause, request } = await import(new URL("api/client.js", document.querySelector("script[type=module]").src).href);
  const isLogged = () => request("GET", path).then(() => true, (error) => {
    if (error.code !== "not-logged") throw error;
    return false;
  });
  while (!(await isLogged())) await pause(500);
}, `/v1${path}/proof`);
await page.goto(`${url}${path}/replay`);
await expectCount(page.locator(".verdict.passed"), 1, "sound games");
await page.locator(".check-line.passed").nth(4).waitFor().catch(() => {});
const passed = await page.locator(".check-line.passed").count();
if (passed < 5) complaints.push(`${passed} checks passed`);
const reason = await page.locator("footer span").textContent();
if (!reason?.includes("https")) complaints.push("the page does not say why it offers no installing");
console.log(`${passed} checks passed at ${url}`);
await finish();
