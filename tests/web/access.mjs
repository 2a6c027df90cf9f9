// axe-core over every page, in both languages and both colour schemes: `node access.mjs URL`.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { complaints, device, dice, finish, openTable, playOn, turn, url } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PATHS = ["/", "/lobby", "/new", "/account", "/join/ABCDEFGH", "/calculator", "/check"];
let looked = 0;

async function look(page, what) {
  // Trusted Types and the policy forbid scripts of other origin; the debugger may evaluate all the same.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  looked += 1;
  for (const { id, nodes } of violations) complaints.push(`${what}: ${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
}

for (const locale of ["en", "ar"]) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await device({ locale, colorScheme, reducedMotion: "reduce" });
    const name = (path) => `${path} ${locale} ${colorScheme}`;
    for (const path of PATHS) {
      await page.goto(`${url}${path}`);
      await page.locator("main h1").waitFor();
      await look(page, name(path));
    }
    const path = await openTable(page, "plain");
    await look(page, name("lobby of a table"));
    await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
    const seen = new Set();
    await playOn(page, dice(3), async () => {
      const kind = await page.locator("[data-command]").first().evaluate((one) => JSON.parse(one.dataset.command).type).catch(() => "none");
      if (!seen.has(kind)) await look(page, name(`table: ${kind}`));
      seen.add(kind);
    });
    await turn(page);
    await look(page, name("end"));
    for (const end of ["scores", "replay"]) {
      await page.goto(`${url}${path}/${end}`);
      await page.locator(end === "scores" ? "table" : ".checks .verdict").first().waitFor();
      await look(page, name(end));
    }
    // Signed in, these pages show more.
    for (const again of ["/", "/lobby", "/account"]) {
      await page.goto(`${url}${again}`);
      await page.locator("main h1").waitFor();
      await look(page, name(`${again} signed in`));
    }
    await page.context().close();
  }
}
console.log(`axe-core looked ${looked} times`);
await finish();
