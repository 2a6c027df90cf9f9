// How long people wait: `node speed.mjs URL`. On a phone (a quarter of the processor, 1.6 Mbit/s, 150 ms) the table is
// drawn within 2 s of the first byte, and a played card within 100 ms. Prints the figures; it is a measurement, so the
// test asserts three times as much.

import { complaints, device, dice, finish, openTable, playOn, turn, url } from "./browser.mjs";

const SLACK = 3;
const page = await device();
const path = await openTable(page, "squares");
await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
await turn(page);

const session = await page.context().newCDPSession(page);
await session.send("Network.enable");
await session.send("Network.setCacheDisabled", { cacheDisabled: true });
await session.send("Network.setBypassServiceWorker", { bypass: true });
await session.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 });
await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
await page.addInitScript(() => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector(".table")) return;
    observer.disconnect();
    requestAnimationFrame(() => (globalThis.drawn = performance.now()));
  }).observe(document, { childList: true, subtree: true });
});
await page.goto(`${url}${path}`);
await page.waitForFunction(() => globalThis.drawn);
const table = await page.evaluate(() => globalThis.drawn - performance.getEntriesByType("navigation")[0].responseStart);
const bytes = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/web/")).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0));
const files = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/web/")).length);

const waits = [];
await playOn(page, dice(5), async () => {
  await page.evaluate(() => {
    const note = (event) => {
      const command = event.target.closest("[data-command]")?.dataset.command;
      if (!command || JSON.parse(command).type !== "play") return;
      const from = performance.now();
      new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => (globalThis.wait = performance.now() - from));
      }).observe(document.querySelector(".table .trick"), { childList: true, subtree: true });
    };
    if (!globalThis.noting) document.addEventListener("click", note, { capture: true });
    globalThis.noting = true;
  });
  const wait = await page.evaluate(() => globalThis.wait);
  if (wait !== undefined) waits.push(wait);
});
waits.sort((one, other) => one - other);
const median = waits[Math.floor(waits.length / 2)];
console.log(`first table ${Math.round(table)} ms after the first byte, with ${files} files of ${bytes} bytes; a card ${Math.round(median)} ms (median), ${Math.round(waits.at(-1))} ms (longest of ${waits.length})`);
if (table > 2_000 * SLACK) complaints.push(`the table took ${table} ms`);
if (!(median <= 100 * SLACK)) complaints.push(`a card took ${median} ms`);
await finish();
