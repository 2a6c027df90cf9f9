// The second step of signing in: `node second_step.mjs URL`, with the program in ESTIMATION_BINARY. A player sets it up while
// another device is at a table, signs in with codes of all kinds, and removes it. A moderator gives somebody a link into the
// account, which the player stops, and mails the player an export. The test is the mail server. ESTIMATION_PICTURES names a folder
// for pictures of what axe-core looks at.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import readCode from "jsqr";

import { look, looked } from "./axe.mjs";
import { complaints, device, finish, openTable, url } from "./browser.mjs";
import { closeMailbox, linkTo, mailFlags } from "./mailbox.mjs";
import { codeAfter, codeAt } from "./totp.mjs";

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

const pictures = process.env.ESTIMATION_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });
const PASSWORD = "plum-kettle-orbit";
const data = mkdtempSync(join(tmpdir(), "estimation-"));
const flags = ["serve", "--listen", `127.0.0.1:${new URL(url).port}`, "--metrics-listen", "127.0.0.1:0", "--data-dir", data, "--log", "error",
  "--public-url", url, ...mailFlags, "--limit-mail", "off", "--rate-account", "off", "--second-step-for-roles", "off"];
const server = spawn(process.env.ESTIMATION_BINARY, flags, { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill("SIGKILL"));
await new Promise((resolve, reject) => {
  server.stdout.once("data", resolve);
  server.once("exit", () => reject(new Error("the server does not start")));
});

/** A form with a field. */
const form = (page, field) => page.locator("form", { has: page.locator(`input[name=${field}]`) });

/** Fills in a form by the names of its fields, and sends it. */
async function send(page, values) {
  const [first] = Object.keys(values);
  for (const [name, value] of Object.entries(values)) await form(page, first).locator(`input[name=${name}]`).fill(value);
  await form(page, first).locator(".row button").first().click();
}

const signIn = (page) => send(page, { password: PASSWORD, username: "noor" });

/** A download of the page, which `start` begins: its name and its text. */
async function saved(page, start) {
  const [download] = await Promise.all([page.waitForEvent("download"), start()]);
  return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
}

/** What a phone reads from an image. */
async function scanned(image) {
  const { data, width, height } = await image.evaluate(async (element) => {
    await element.decode();
    const canvas = new OffscreenCanvas(4 * element.naturalWidth, 4 * element.naturalHeight);
    const drawing = canvas.getContext("2d");
    drawing.drawImage(element, 0, 0, canvas.width, canvas.height);
    const { data, width, height } = drawing.getImageData(0, 0, canvas.width, canvas.height);
    return { data: [...data], width, height };
  });
  return readCode(Uint8ClampedArray.from(data), width, height)?.data;
}

/** Looks at a page, which must not be too wide. */
async function judge(page, what) {
  await look(page, what);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide <= 0, `${what} is ${wide} px too wide`);
  if (pictures) await page.screenshot({ path: join(pictures, `${what.replace(/\W+/g, "-")}.png`), fullPage: true });
}

// An account with an email address, in English and on another device in Arabic, which is at a table.
const noor = await device();
await noor.goto(`${url}/account`);
await send(noor, { new_password: PASSWORD, username: "noor" });
await send(noor, { email: "noor@example.org" });
await noor.goto(await linkTo("verify"));
await noor.locator("main [role=status]:not(:empty)").waitFor();
await noor.goto(`${url}/account`);
const phone = await device({ locale: "ar" });
await phone.goto(`${url}/account`);
await signIn(phone);
await phone.locator("section.second-step").waitFor();
await openTable(phone, "plain");

// It is set up: the secret, a wrong code, a right one, and ten codes for the day on which the app is lost.
const section = noor.locator("section.second-step");
await section.getByRole("button", { name: "Set up" }).click();
const secret = (await section.locator("code").innerText()).replaceAll(" ", "");
const link = await section.locator("a").getAttribute("href");
expect(link.includes(`secret=${secret}`), "the link has another secret");
expect(await scanned(section.getByRole("img", { name: "QR code of the secret" })) === link, "the QR code is not the link");
expect(await noor.locator("section.second-step input").evaluate((field) => field === document.activeElement), "the field has no focus");
await judge(noor, "set up, en");
await noor.keyboard.type("12345");
await noor.keyboard.press("Enter");
await section.locator(".notice").waitFor();
const begin = Date.now();
await section.locator("input").fill(codeAt(secret, begin));
await noor.keyboard.press("Enter");
await section.locator("li").first().waitFor();
const codes = await section.locator("li").allInnerTexts();
expect(codes.length === 10, `there are ${codes.length} codes`);
const [name, text] = await saved(noor, () => section.getByRole("button", { name: "Save as a file" }).click());
expect(name === "second-step.txt" && text === codes.join("\n"), "the codes are not in the file");
await judge(noor, "codes, en");

// The stream of the other device is refused, so it asks. The digits can be Arabic. The table goes on.
const dialog = (page) => page.locator("dialog.second-step");
await dialog(phone).waitFor();
await judge(phone, "dialog at a table, ar");
expect((await dialog(phone).evaluate((element) => getComputedStyle(element).direction)) === "rtl", "the dialog runs from left to right");
const isOpen = phone.waitForResponse((answer) => answer.url().endsWith("/stream") && answer.ok());
await phone.keyboard.type(codeAfter(secret, begin).replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit))));
await phone.keyboard.press("Enter");
await dialog(phone).waitFor({ state: "detached" });
await isOpen;
await phone.locator("[data-status=lobby]").waitFor();

// A sign-in asks once for all requests of the page. Who cancels is asked again by what they do, and by another page.
await noor.getByRole("button", { name: "Sign out" }).click();
await noor.locator("input[name=password]").waitFor();
await signIn(noor);
await dialog(noor).waitFor();
await noor.locator("dialog.second-step input:focus").waitFor();
await judge(noor, "dialog, en");
await noor.keyboard.type("000000");
await noor.keyboard.press("Enter");
await dialog(noor).locator(".notice").waitFor();
await noor.locator("dialog.second-step input:focus").waitFor();
await judge(noor, "dialog after a wrong code, en");
await noor.keyboard.press("Escape");
await dialog(noor).waitFor({ state: "detached" });
await section.getByText("10").waitFor();
await noor.waitForTimeout(1_000);
expect((await dialog(noor).count()) === 0, "who cancelled is asked again");
await section.getByRole("button", { name: "Remove" }).click();
await dialog(noor).waitFor();
await dialog(noor).getByRole("button", { name: "Cancel" }).press("Enter");
await section.locator(".notice").waitFor();
await noor.getByRole("link", { name: "People" }).first().click();
await dialog(noor).waitFor();

// A code on paper, with the keyboard alone.
for (let steps = 0; steps < 3; steps += 1) await noor.keyboard.press("Tab");
await noor.keyboard.press("Enter");
await noor.locator("dialog.second-step input[inputmode=text]:focus").waitFor();
await noor.keyboard.type(codes[0].toLowerCase().replaceAll("-", " "));
await noor.keyboard.press("Enter");
await dialog(noor).waitFor({ state: "detached" });
await noor.locator("[data-list=code]").waitFor();
const loaded = [];
noor.on("request", (request) => loaded.push(request.url()));
await noor.goto(url);
await noor.locator(".hero").waitFor();
expect(!loaded.some((path) => path.endsWith("/parts/second_step.js")), "the dialog is loaded though nothing needs it");
await noor.goto(`${url}/account`);
await section.getByText("9").waitFor();
expect((await dialog(noor).count()) === 0, "a session that has passed is asked");

// The same code works once.
const used = await device({ locale: "ar" });
await used.goto(`${url}/account`);
await signIn(used);
await dialog(used).locator("input").fill(codes[0]);
await used.keyboard.press("Enter");
await dialog(used).locator(".notice").waitFor();
await judge(used, "dialog after a used code, ar");
await dialog(used).locator("input").fill(codes[1]);
await used.keyboard.press("Enter");
await used.locator("section.second-step").getByText("٨").waitFor();
await judge(used, "account, ar");

// A moderator gives somebody a link into the account. It works after a day; every device of the player, and a mail, can stop it.
const password = execFileSync(process.env.ESTIMATION_BINARY, ["account", "create", "maha", "--role", "moderator", "--data-dir", data], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const ask = async (path, body, token) => {
  const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
};
const { access_token } = await ask("/v1/sessions", { username: "maha", password: password.split(": ").at(-1).trim() });
const id = (await noor.locator("main a[href^='/players/']").first().getAttribute("href")).split("/").at(-1);
const enact = (act, reason) => ask(`/v1/admin/accounts/${id}/acts`, { act, reason }, access_token);
const { token } = await enact("access_given", "She lost the phone.");
await noor.reload();
await noor.locator(".access").waitFor();
await noor.locator(".standing li", { hasText: "She lost the phone." }).waitFor();
await noor.locator(".ways .changes li", { hasText: "A moderator gave somebody a link" }).waitFor();
await judge(noor, "access link, en");
const stranger = await device({ locale: "ar" });
await stranger.goto(`${url}/account#reset=${token}`);
await send(stranger, { new_password: "kettle-orbit-quince" });
await stranger.locator("main .notice p").nth(1).waitFor();
await judge(stranger, "link too early, ar");
await stranger.goto(await linkTo("stop"));
await stranger.locator("main [role=status]:not(:empty)").waitFor();
await judge(stranger, "link stopped, ar");
await noor.reload();
await section.waitFor();
await noor.waitForLoadState("networkidle");
expect((await noor.locator(".access").count()) === 0, "the link is not stopped");
await enact("access_given", "She asked again.");
await used.reload();
await used.locator(".access button").click();
await used.locator(".access").waitFor({ state: "detached" });

// The export of a mail is saved once.
await enact("export_sent", "She asked for her data.");
const mailed = await linkTo("export");
await stranger.goto(mailed);
await judge(stranger, "export, ar");
const [file, content] = await saved(stranger, () => stranger.locator("main button").first().click());
expect(file === "estimation.json" && content.includes('"noor"'), "the export is not saved");
await stranger.locator("main [role=status]:not(:empty)").waitFor();
await stranger.goto(`${url}/account`);
await stranger.goto(mailed);
await stranger.locator("main button").first().click();
await stranger.locator("main .notice").waitFor();

// Without a second step, nobody is asked.
await section.getByRole("button", { name: "Remove" }).click();
await section.getByRole("button", { name: "Set up" }).waitFor();
await judge(noor, "account, en");
const last = await device();
await last.goto(`${url}/account`);
await signIn(last);
await last.locator("section.second-step").getByRole("button", { name: "Set up" }).waitFor();
await last.locator(".ways .changes li", { hasText: "Second step removed" }).waitFor();
expect((await dialog(last).count()) === 0, "a session without a second step is asked");

// Another password signs out the other devices.
await send(last, { current_password: PASSWORD, new_password: "kettle-orbit-quince" });
await form(last, "current_password").locator("[role=status]:not(:empty)").waitFor();
await noor.goto(`${url}/account`);
await send(noor, { password: "kettle-orbit-quince", username: "noor" });
await section.waitFor();

server.removeAllListeners("exit");
const isEnded = new Promise((resolve) => server.once("exit", resolve));
server.kill("SIGKILL");
await isEnded;
closeMailbox();
rmSync(data, { recursive: true, force: true });
console.log(`a player set up a second step, used it on three devices, stopped a link and removed it; axe-core looked ${looked} times`);
await finish();
