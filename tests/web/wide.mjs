// Names that are wider than a page are cut off: `node wide.mjs URL`, with the file of the database in the environment.

import { execFileSync } from "node:child_process";

import { act, complaints, device, dice, finish, openTable, turn, url } from "./browser.mjs";

/** The widest name that the rule takes. */
const WIDE = "W".repeat(40);

const database = process.env.ESTIMATION_TEST_DATABASE;

/** Gives all accounts the name. */
function rename() {
  const code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=30); c.execute('UPDATE accounts SET display_name = ?', (sys.argv[2],)); c.commit()";
  execFileSync("python3", ["-c", code, database, WIDE]);
}

async function look(page, what) {
  // The server keeps names of players for some seconds, but not that of the own account.
  await page.locator("header a[href='/account']", { hasText: WIDE }).waitFor({ state: "attached" }).catch(async (error) => {
    console.log(`${what} at ${page.url()} shows ${JSON.stringify((await page.locator("body").innerText()).slice(0, 600))}`);
    throw error;
  });
  const [wide, fits, whole] = await page.evaluate((name) => {
    const probe = Object.assign(document.createElement("span"), { textContent: name, style: "white-space: nowrap; position: fixed" });
    document.body.append(probe);
    const whole = probe.offsetWidth;
    probe.remove();
    return [document.scrollingElement.scrollWidth, innerWidth, whole];
  }, WIDE);
  if (whole <= fits) complaints.push(`${what} is wider than the name, which has ${whole} px`);
  if (wide > fits) complaints.push(`${what} is ${wide} px wide, the screen ${fits}`);
  else console.log(`${what}: ${wide} px`);
}

const page = await device({ viewport: { width: 360, height: 740 } });
const path = await openTable(page, "plain");
const invitation = new URL(await page.locator("[data-status=lobby] input[readonly]").inputValue()).pathname;
const guest = await device({ viewport: { width: 360, height: 740 }, locale: "ar" });
await guest.goto(`${url}${invitation}`);
await guest.locator("main button").first().click();
await guest.locator("[data-status=lobby]").waitFor();
rename();
const seats = page.locator("[data-status=lobby] li bdi", { hasText: WIDE });
const isRenamed = () => seats.nth(1).waitFor({ state: "attached", timeout: 2_000 }).then(() => true, () => false);
// Each load of the page refreshes the session, of which an account has 60 a minute.
for (let loads = 1; !(await isRenamed()); loads += 1) {
  if (loads === 15) throw new Error(`no load shows the names, but ${await page.locator("main").innerText()}`);
  await page.reload();
}
await look(page, "the lobby of a table with two");
await page.goto(`${url}/account`);
const player = await page.locator("a[href^='/players/']").first().getAttribute("href");
// Rated games of people take too long here.
await page.route("**/v1/leaderboards/*", (route) => {
  const rating = { ordinal: 20.5, mean: 28, deviation: 2.5, games: 12 };
  const items = [1, 2].map((rank) => ({ rank, player: { id: `${player.slice(9, -1)}${rank}`, name: WIDE }, rating }));
  return route.fulfill({ json: { items, next_cursor: null } });
});
for (const again of ["/", "/lobby", "/account", player, "/leaderboard"]) {
  await page.goto(`${url}${again}`);
  await page.locator("main h1").waitFor();
  if (again === "/leaderboard") await page.locator(".figures bdi").first().waitFor();
  await look(page, again);
}
await guest.goto(`${url}${path}`);
await guest.locator("[data-status=lobby] li bdi").nth(1).waitFor();
await look(guest, "the lobby of a table with two, in Arabic");
await guest.close();
await page.goto(`${url}${path}`);
await page.locator("[data-status=lobby] li button", { hasText: WIDE }).click();
await page.locator("[data-status=lobby] li bdi").nth(1).waitFor({ state: "detached" });
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
await page.goto(`${url}${path}/scores`);
await page.locator(".sheet .cell").first().click();
await look(page, "the lines of a score");
await finish();
