// The way back by mail: `node mail.mjs URL`, with the program in ESTIMATION_BINARY. A player registers, confirms an address, loses
// the phone, and comes back on another one with the link of a mail. The test is the mail server.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { complaints, device, finish, url } from "./browser.mjs";
import { closeMailbox, linkTo, mailFlags } from "./mailbox.mjs";

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

const data = mkdtempSync(join(tmpdir(), "estimation-"));
const flags = [
  "serve", "--listen", `127.0.0.1:${new URL(url).port}`, "--metrics-listen", "127.0.0.1:0", "--data-dir", data, "--log", "warn",
  "--public-url", url, ...mailFlags,
];
const program = spawn(process.env.ESTIMATION_BINARY, flags, { stdio: ["ignore", "pipe", "inherit"] });
await new Promise((resolve, reject) => {
  program.stdout.once("data", resolve);
  program.once("exit", () => reject(new Error("the server does not start")));
});

const page = await device();
await page.goto(`${url}/account`);
const register = page.locator("form", { hasText: "Create an account" });
await register.locator("input[name=username]").fill("noor");
await register.locator("input[name=new_password]").fill("plum-kettle-orbit");
await register.getByRole("button").click();
await page.locator("input[name=email]").fill("noor@example.org");
await page.getByRole("button", { name: "Send a link" }).click();
await page.getByText("Open the link in the mail").waitFor();
await page.goto(await linkTo("verify"));
await page.getByText("This address is confirmed.").waitFor();
expect(!page.url().includes("#"), `the address is ${page.url()}`);
await page.getByRole("button", { name: "To the account" }).click();
await page.getByText("Your address is").waitFor();

// Another phone, without the password.
const other = await device();
await other.goto(`${url}/account`);
await other.locator("input[name=reset_email]").fill("NOOR@example.org");
await other.locator("form", { hasText: "Come back by mail" }).getByRole("button").click();
await other.getByText("a mail is on its way").waitFor();
const link = await linkTo("reset");
await other.goto(link);
await other.locator("input[name=new_password]").fill("kettle-orbit-quince");
await other.getByRole("button", { name: "Sign in" }).click();
await other.getByText("Your address is").waitFor();
await other.locator(".ways .changes li").first().waitFor();

// The lost phone is signed out, the link is used up, and the new password signs in.
await page.reload();
await page.locator("input[name=username]").first().waitFor();
await page.goto(link);
await page.reload();
await page.goto(`${url}/account`);
const entrance = page.locator("form", { has: page.locator("input[name=password]") });
await entrance.locator("input[name=username]").fill("noor");
await entrance.locator("input[name=password]").fill("kettle-orbit-quince");
await entrance.getByRole("button").click();
await page.getByText("Your address is").waitFor();

program.removeAllListeners("exit");
const isEnded = new Promise((resolve) => program.once("exit", resolve));
program.kill("SIGKILL");
await isEnded;
closeMailbox();
rmSync(data, { recursive: true, force: true });
console.log("a player confirms an address, loses the phone, and comes back by mail");
await finish();
