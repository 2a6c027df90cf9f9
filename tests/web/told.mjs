// Notices while the app is closed: `node told.mjs URL`, with the program in ESTIMATION_BINARY, and in ESTIMATION_TEST_FOLDER the
// certificate of a push service, cert.pem and key.pem. A player accepts the offer at a table with long turns, chooses, and closes
// the page; the push service of the test decrypts what the server sends, and Chromium's debugger gives it to the service worker.

import { spawn } from "node:child_process";
import { createECDH, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { complaints, device, finish, isSoonTrue, url } from "./browser.mjs";

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

const folder = process.env.ESTIMATION_TEST_FOLDER;
const certificate = join(folder, "cert.pem");

// The push service, and the keys of a browser.
const browserKey = createECDH("prime256v1");
browserKey.generateKeys();
const secret = randomBytes(16);
const pushes = [];
let heard = () => {};
const service = createServer({ cert: readFileSync(certificate), key: readFileSync(join(folder, "key.pem")) }, (request, answer) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    pushes.push({ path: request.url, body: Buffer.concat(pieces) });
    answer.writeHead(201).end();
    heard();
  });
});
await new Promise((resolve) => service.listen(0, "127.0.0.1", resolve));
const endpoint = `https://localhost:${service.address().port}/push`;

/** The next push, as the browser reads it (RFC 8291). */
async function nextPush() {
  while (pushes.length === 0) await new Promise((resolve) => (heard = resolve));
  const { body } = pushes.shift();
  const [salt, length] = [body.subarray(0, 16), body[20]];
  const theirs = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browserKey.getPublicKey(), theirs]);
  const key = Buffer.from(hkdfSync("sha256", browserKey.computeSecret(theirs), secret, info, 32));
  const derived = (name, size) => Buffer.from(hkdfSync("sha256", key, salt, `Content-Encoding: ${name}\0`, size));
  const opened = createDecipheriv("aes-128-gcm", derived("aes128gcm", 16), derived("nonce", 12));
  opened.setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([opened.update(sealed.subarray(0, -16)), opened.final()]);
  return text.subarray(0, text.lastIndexOf(2)).toString();
}

const data = mkdtempSync(join(tmpdir(), "estimation-"));
const flags = [
  "serve", "--listen", `127.0.0.1:${new URL(url).port}`, "--metrics-listen", "127.0.0.1:0", "--data-dir", data, "--log", "warn",
  "--push-contact", "mailto:admin@example.org", "--push-hosts", "localhost", "--outbound-networks", "127.0.0.0/8",
];
const server = spawn(process.env.ESTIMATION_BINARY, flags, {
  stdio: ["ignore", "pipe", "inherit"],
  env: { ...process.env, SSL_CERT_FILE: certificate },
});
await new Promise((resolve, reject) => {
  server.stdout.once("data", resolve);
  server.once("exit", () => reject(new Error("the server does not start")));
});

// Without a network Chromium reaches no push service of its own, so the subscription is the test's.
const page = await device({ permissions: ["notifications"] });
await page.addInitScript(({ endpoint, p256dh, auth }) => {
  let present = null;
  PushManager.prototype.getSubscription = async () => present;
  PushManager.prototype.subscribe = async ({ applicationServerKey: key }) => {
    const bytes = Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
    const unsubscribe = async () => ((present = null), true);
    return (present = { options: { applicationServerKey: bytes.buffer }, unsubscribe, toJSON: () => ({ endpoint, keys: { p256dh, auth } }) });
  };
}, { endpoint, p256dh: browserKey.getPublicKey("base64url"), auth: secret.toString("base64url") });

/** A request of the page's player. */
const ask = (method, path, body) => page.evaluate(async ([method, path, body]) => {
  const main = document.querySelector("script[type=module]").src;
  const { request } = await import(new URL("api/client.js", main).href);
  return (await request(method, path, body ? { body } : {})).data;
}, [method, path, body]);

/** A request of somebody else. */
async function send(method, path, body, token) {
  const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(`${url}${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
}

await page.goto(`${url}/lobby`);
await page.locator("main button").first().click();
await page.locator(".panel").first().waitFor();
const game = await ask("POST", "/v1/games", { ruleset: "nineteen", players: 2, turn_seconds: 86_400, visibility: "private" });
const table = `/games/${game.id}`;

// The table offers pushes, once.
await page.goto(`${url}${table}`);
await page.locator(".toasts button:not(.quiet)").click();
await page.locator(".toasts .notice").waitFor({ state: "detached" });
expect((await ask("GET", "/v1/me/notifications")).subscribed, "the offer was accepted, and there is no subscription");
await page.reload();
await page.locator("[data-status=lobby]").waitFor();
expect((await page.locator(".toasts .notice").count()) === 0, "the table offers again what was accepted");

// The choices.
await page.goto(`${url}/account`);
const push = page.locator("input[name=told-push]");
await push.waitFor();
expect(await push.isChecked(), "the account page does not show that pushes come");
// The answer to the first one comes after the others are made.
await page.evaluate(() => {
  const really = globalThis.fetch;
  const isReleased = new Promise((resolve) => (globalThis.release = resolve));
  globalThis.fetch = async (input, options) => {
    if (options?.method === "PUT") await isReleased;
    return really(input, options);
  };
});
await page.locator("input[name=told-quiet]").check();
await page.locator("input[name=told-from]").waitFor();
await page.locator("input[name=told-quiet]").uncheck();
await page.locator("input[name=told-game_started]").uncheck();
await page.waitForFunction(() => !document.querySelector("input[name=told-from]"));
await page.evaluate(() => globalThis.release());
const areKept = async () => {
  const { request } = await import(new URL("api/client.js", document.querySelector("script[type=module]").src).href);
  const { muted, quiet_hours } = (await request("GET", "/v1/me/notifications")).data;
  return muted.join() === "game_started" && quiet_hours === null;
};
expect(await isSoonTrue(page, areKept), "a choice is lost that was made before the answer to another");
expect(!(await page.locator("input[name=told-quiet]").isChecked()), "the answer to a former choice is shown");

// The page is closed; the turn of its player comes.
const debug = await page.context().newCDPSession(page);
const isRegistered = new Promise((resolve) => {
  debug.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [registration] }) => registration && resolve(registration.registrationId));
});
await debug.send("ServiceWorker.enable");
const guest = await send("POST", "/v1/accounts/guest", {});
const token = guest.session.access_token;
await send("POST", `/v1/games/${game.id}/seats`, { join_code: game.join_code }, token);
await ask("POST", `/v1/games/${game.id}/start`);
for (let moves = 0; moves < 60; moves += 1) {
  const view = await send("GET", `/v1/games/${game.id}`, undefined, token);
  if (view.legal.length === 0) break;
  await send("POST", `/v1/games/${game.id}/commands`, view.legal[0], token);
}
// A page without a stream.
await page.goto(`${url}/icon.svg`).catch(() => {});
const text = await nextPush();
const { notices } = JSON.parse(text);
expect(notices.length === 1 && notices[0].kind === "your_turn" && notices[0].game === game.id, `the push says ${text}`);
expect(!text.includes(game.join_code), "the push holds the code of a private table");

await page.goto(`${url}/rules`);
await page.locator("main h1").waitFor();
expect(await isSoonTrue(page, async () => (await navigator.serviceWorker.ready).active?.state === "activated"), "the worker is not active");
const registrationId = await isRegistered;
const [worker] = page.context().serviceWorkers();
await worker.evaluate(() => {
  const matchAll = clients.matchAll.bind(clients);
  globalThis.looks = 0;
  clients.matchAll = async (options) => {
    const found = await matchAll(options);
    globalThis.looks += 1;
    return found;
  };
});
/** Delivers the push, and waits until the worker has looked which pages there are. */
async function deliver() {
  const before = await worker.evaluate(() => globalThis.looks);
  await debug.send("ServiceWorker.deliverPushMessage", { origin: url, registrationId, data: text });
  await worker.evaluate(async (before) => {
    while (globalThis.looks === before) await new Promise((resolve) => setTimeout(resolve, 50));
  }, before);
}
const shown = () => page.evaluate(async () => {
  const found = await (await navigator.serviceWorker.ready).getNotifications();
  return found.map(({ title, body, data }) => ({ title, body, path: data.path }));
});
// Who looks at the app gets no notification. Chromium without a screen shows each page, so the page goes elsewhere.
await deliver();
await page.goto("about:blank");
await deliver();
await page.goto(`${url}/rules`);
await page.locator("main h1").waitFor();
await isSoonTrue(page, async () => (await (await navigator.serviceWorker.ready).getNotifications()).length > 0);
expect((await shown()).length === 1, `the worker shows ${JSON.stringify(await shown())}`);
const [notification] = await shown();
expect(notification?.title === "It is your turn" && notification.path === table, `the worker shows ${JSON.stringify(notification)}`);
console.log(`a push of ${text.length} characters, as the worker shows it: ${notification?.title}. ${notification?.body}`);

server.removeAllListeners("exit");
const isEnded = new Promise((resolve) => server.once("exit", resolve));
server.kill("SIGKILL");
await isEnded;
service.close();
rmSync(data, { recursive: true, force: true });
await finish();
