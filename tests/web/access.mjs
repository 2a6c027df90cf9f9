// axe-core over every page, in both languages and both colour schemes, with and without reduced motion, and with forced colours:
// `node access.mjs URL`. English is light and Arabic dark; ESTIMATION_TEST_LONG=1 looks at each language in both schemes.

import { look, looked } from "./axe.mjs";
import { act, device, dice, finish, openTable, turn, url } from "./browser.mjs";

const PATHS = ["/", "/lobby", "/new", "/account", "/people", "/leaderboard", "/join/ABCDEFGH", "/calculator", "/check"];

const isLong = process.env.ESTIMATION_TEST_LONG === "1";
const KINDS = 5; // choose_seat, cut, bid, estimate, play
let finished;
let storageState;
for (const locale of ["en", "ar"]) {
  for (const colorScheme of isLong ? ["light", "dark"] : [locale === "en" ? "light" : "dark"]) {
    const name = (path) => `${path} ${locale} ${colorScheme}`;
    const visitor = await device({ locale, colorScheme });
    for (const path of PATHS) {
      await visitor.goto(`${url}${path}`);
      await visitor.locator("main h1").waitFor();
      await look(visitor, name(path));
    }
    await visitor.context().close();

    // The same player in all. The first game is played to its end, the others until all kinds of commands were seen.
    const page = await device({ locale, colorScheme, storageState });
    const path = await openTable(page, "plain");
    await look(page, name("lobby of a table"));
    await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
    const seen = new Set();
    const choose = dice(3);
    for (let count = await turn(page); count > 0 && (!finished || seen.size < KINDS); count = await turn(page)) {
      const kind = await page.locator("[data-command]").first().evaluate((one) => JSON.parse(one.dataset.command).type);
      if (!seen.has(kind)) await look(page, name(`table: ${kind}`));
      seen.add(kind);
      await act(page, choose(count));
    }
    finished ??= path;
    await page.goto(`${url}${finished}`);
    await page.locator(".standings").waitFor();
    await look(page, name("end"));
    for (const end of ["scores", "replay"]) {
      await page.goto(`${url}${finished}/${end}`);
      await page.locator(end === "scores" ? "table" : ".checks .verdict").first().waitFor();
      await look(page, name(end));
    }
    // Signed in, these pages show more.
    await page.goto(`${url}/account`);
    const player = await page.locator("a[href^='/players/']").first().getAttribute("href");
    for (const [again, part] of [["/", ".own-games"], ["/lobby", ".panel"], ["/account", ".figures"], ["/people", ".fields"], ["/leaderboard", "[aria-pressed=true]"], [player, ".figures"]]) {
      await page.goto(`${url}${again}`);
      await page.locator(`main ${part}`).first().waitFor();
      await look(page, name(`${again} signed in`));
    }
    storageState = await page.context().storageState();
    await page.context().close();
  }
}
console.log(`axe-core looked ${looked} times`);
await finish();
