// Stored names that are wider than a page are cut off: `node wide.mjs URL`, with the file of the database in the environment.

import { execFileSync } from "node:child_process";

import { act, complaints, device, dice, finish, openTable, turn, url } from "./browser.mjs";

const WIDE = "\ufdfd".repeat(40);
const database = process.env.ESTIMATION_TEST_DATABASE;

/** Gives all accounts a name that was stored before names had a widest one. */
function rename() {
  const code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=30); c.execute('UPDATE accounts SET display_name = ?', (sys.argv[2],)); c.commit()";
  execFileSync("python3", ["-c", code, database, WIDE]);
}

async function look(page, what) {
  await page.getByText(WIDE).first().waitFor({ state: "attached" }).catch(async (error) => {
    console.log(`${what} at ${page.url()} shows ${JSON.stringify((await page.locator("body").innerText()).slice(0, 600))}`);
    throw error;
  });
  const [wide, fits] = await page.evaluate(() => [document.scrollingElement.scrollWidth, innerWidth]);
  if (wide > fits) complaints.push(`${what} is ${wide} px wide, the screen ${fits}`);
  else console.log(`${what}: ${wide} px`);
}

const page = await device({ viewport: { width: 360, height: 740 } });
const path = await openTable(page, "plain");
rename();
// The server keeps names for some seconds. Each load of the page refreshes the session, of which an account has 60 a minute.
const isRenamed = () => page.getByText(WIDE).first().waitFor({ state: "attached", timeout: 2_000 }).then(() => true, () => false);
/** Loads the page again until it shows the name; says what it shows instead. This test is about widths alone. */
async function renamed() {
  for (let loads = 1; !(await isRenamed()); loads += 1) {
    const header = await page.locator("header").innerText();
    if (loads > 5) console.log(`load ${loads} shows ${JSON.stringify(header.slice(0, 80))}`);
    if (loads === 15) throw new Error(`no page shows the name, but ${header}`);
    await page.reload();
  }
}
await renamed();
await look(page, "the lobby of a table");
for (const again of ["/", "/lobby"]) {
  await page.goto(`${url}${again}`);
  await renamed();
  await look(page, again);
}
await page.goto(`${url}${path}`);
await page.locator("[data-status=lobby] .row > button:not(.quiet)").first().click();
const choose = dice(3);
for (let count = await turn(page), step = 0; count > 0; count = await turn(page), step += 1) {
  if (step < 12) await look(page, `the table, step ${step}`);
  await act(page, choose(count));
}
await look(page, "the end");
for (const end of ["scores", "replay"]) {
  await page.goto(`${url}${path}/${end}`);
  await look(page, end);
}
await finish();
