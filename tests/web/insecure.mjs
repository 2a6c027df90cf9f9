// The app over plain http at an address of the network, where browsers offer neither their own hashes nor service
// workers: a game is played, and its checks pass with the library of the app. `node insecure.mjs URL`.

import { complaints, device, dice, finish, openTable, playOn, url } from "./browser.mjs";

const page = await device();
const path = await openTable(page, "double-risk");
const context = await page.evaluate(() => ({ isSecureContext, subtle: crypto.subtle !== undefined, worker: "serviceWorker" in navigator }));
if (context.isSecureContext || context.subtle || context.worker) complaints.push(`the context is secure: ${JSON.stringify(context)}`);
await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
await playOn(page, dice(11));
for (let tries = 0; tries < 60; tries += 1) {
  await page.goto(`${url}${path}/replay`);
  await page.locator(".checks .verdict").waitFor();
  if ((await page.locator(".verdict.passed").count()) > 0 && (await page.locator(".check-line.passed").count()) >= 5) break;
  await page.waitForTimeout(500);
}
const passed = await page.locator(".check-line.passed").count();
if (passed < 5 || (await page.locator(".verdict.passed").count()) !== 1) complaints.push(`${passed} checks passed`);
const reason = await page.locator("footer span").textContent();
if (!reason?.includes("https")) complaints.push("the page does not say why it offers no installing");
console.log(`${passed} checks passed at ${url}`);
await finish();
