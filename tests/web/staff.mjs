// The people of the desk's test, and the server: guests who play, and accounts with a role that pass the second step.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { look } from "./axe.mjs";
import { complaints, device, url } from "./browser.mjs";
import { codeAt } from "./totp.mjs";

export function expect(condition, what) {
  if (!condition) complaints.push(what);
}

export const data = mkdtempSync(join(tmpdir(), "estimation-"));
const flags = ["serve", "--listen", `127.0.0.1:${new URL(url).port}`, "--metrics-listen", "127.0.0.1:0", "--data-dir", data, "--log", "error",
  "--rate-account", "off", "--rate-unauthenticated", "off", "--limit-accounts", "off", "--sweep-every", "1s"];
const server = spawn(process.env.ESTIMATION_BINARY, flags, { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill("SIGKILL"));
await new Promise((resolve, reject) => {
  server.stdout.once("data", resolve);
  server.once("exit", () => reject(new Error("the server does not start")));
});

/** A command of the program beside the running server. */
export const command = (...words) => execFileSync(process.env.ESTIMATION_BINARY, [...words, "--data-dir", data], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** A request with an access token: the members of the body, and the status of the answer unless the body has its own. */
export async function ask(token, method, path, body, headers = {}) {
  const sent = { ...headers, "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(`${url}${path}`, { method, headers: sent, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, ...(text ? JSON.parse(text) : {}) };
}

/** A guest: `ask` makes requests, and `id` is that of the account. */
export async function guest(display_name) {
  const { account, session } = await ask(null, "POST", "/v1/accounts/guest", { display_name });
  return { id: account.id, name: display_name, ask: (...request) => ask(session.access_token, ...request) };
}

/** Signs in on a new device. */
export async function enter(username, password, settings) {
  const page = await device(settings);
  await page.goto(`${url}/account`);
  const form = page.locator("form", { has: page.locator("input[name=password]") });
  await form.locator("input[name=username]").fill(username);
  await form.locator("input[name=password]").fill(password);
  await form.locator("button").click();
  await page.locator("main a[href^='/players/']").first().waitFor();
  return page;
}

/** The access token of a page. */
const tokenOf = (page) => page.evaluate(async () => {
  const [folder] = /^.*\/web\/[^/]+\//.exec(document.querySelector("script[type=module]").src);
  return (await import(`${folder}api/session.js`)).session.accessToken();
});

/** A request with the session of a page. */
export const api = async (page, ...request) => ask(await tokenOf(page), ...request);

/** Shows a page of the desk, by its link if there is one. */
export async function show(page, path, part = ".desk .panel") {
  const link = page.locator(`.desk nav a[href="${path}"]`);
  if ((await link.count()) > 0) await link.click();
  else await page.goto(`${url}${path}`);
  await page.waitForFunction((wanted) => location.pathname + location.search === wanted, path);
  await page.locator(part).first().waitFor();
}

/**
 * An account with a role: a page of a device that has passed the second step, and the codes on paper. `codeOf` gets the secret, the time
 * of the code that was used, and the codes on paper; it is called when its code is typed.
 */
export async function staff(role, username, settings, codeOf) {
  const password = command("account", "create", username, "--role", role).split(": ").at(-1).trim();
  const first = await enter(username, password, settings);
  // Without a second step, the desk leads to the account.
  await show(first, "/desk", ".desk .notice ~ p a[href='/account']");
  const { secret } = await api(first, "POST", "/v1/me/second-step");
  const now = Date.now();
  const { codes } = await api(first, "PUT", "/v1/me/second-step", { code: codeAt(secret, now) });
  expect(codes?.length === 10, `${role}: there are no codes`);
  await first.context().close();
  const page = await enter(username, password, settings);
  await page.goto(`${url}/desk`);
  // Who closes the dialog can have it again.
  await page.locator("dialog input[name=code]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".desk .notice ~ p button").click();
  await page.locator("dialog input[name=code]").waitFor();
  await look(page, `${role}: second step`);
  await page.locator("dialog input[name=code]").fill("000000");
  await page.keyboard.press("Enter");
  await page.locator("dialog .notice").waitFor();
  await page.locator("dialog input[name=code]").fill(codeOf(secret, now, codes));
  await page.keyboard.press("Enter");
  await page.locator(".desk .facts").first().waitFor();
  return [page, codes];
}

/** Ends the server, and removes its data. */
export async function endServer() {
  server.removeAllListeners("exit");
  const isEnded = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGKILL");
  await isEnded;
  rmSync(data, { recursive: true, force: true });
}
