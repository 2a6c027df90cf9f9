// Sign-in with an issuer: `node issuers.mjs URL`, with the program in ESTIMATION_BINARY, and in ESTIMATION_TEST_FOLDER the
// certificate of an issuer, cert.pem and key.pem. The issuer of the test agrees at once, and sends the player back.

import { spawn } from "node:child_process";
import { createHash, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { complaints, device, finish, url } from "./browser.mjs";

function expect(condition, what) {
  if (!condition) complaints.push(what);
}

const folder = process.env.ESTIMATION_TEST_FOLDER;
const certificate = join(folder, "cert.pem");
const CLIENT = "web";
const SECRET = "a secret between two servers";

// The issuer. `subject` is who sits at the browser; `bend` changes what is sent back.
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = { ...createPublicKey(privateKey).export({ format: "jwk" }), kid: "one" };
const codes = new Map();
let subject = "player-7";
let bend = (back) => back;
const text = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

function token(nonce) {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, sub: subject, aud: CLIENT, nonce, iat: now, exp: now + 300 };
  const signed = `${text({ alg: "ES256", kid: "one" })}.${text(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

function answer(path, query, form) {
  if (path === "/.well-known/openid-configuration") {
    const at = (name) => `${issuer}/${name}`;
    return { issuer, jwks_uri: at("keys"), authorization_endpoint: at("authorize"), token_endpoint: at("token") };
  }
  if (path === "/keys") return { keys: [jwk] };
  if (path === "/token" && form.get("client_secret") === SECRET) {
    const asked = codes.get(form.get("code"));
    codes.delete(form.get("code"));
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    if (asked?.challenge === challenge && form.get("redirect_uri") === asked.redirect) {
      return { id_token: token(asked.nonce), refresh_token: "a grant", access_token: "none", token_type: "Bearer" };
    }
  }
  return null;
}

const server = createServer({ cert: readFileSync(certificate), key: readFileSync(join(folder, "key.pem")) }, (request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, "https://localhost");
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    if (pathname === "/authorize") {
      const code = `code-${codes.size}-${Date.now()}`;
      const redirect = query.get("redirect_uri");
      expect(query.get("code_challenge_method") === "S256" && query.get("scope") === "openid", "the request has no PKCE");
      codes.set(code, { challenge: query.get("code_challenge"), nonce: query.get("nonce"), redirect });
      const back = bend({ code, state: query.get("state"), iss: issuer });
      return response.writeHead(302, { location: `${redirect}?${new URLSearchParams(back)}` }).end();
    }
    const said = answer(pathname, query, new URLSearchParams(Buffer.concat(pieces).toString()));
    response.writeHead(said ? 200 : 400, { "content-type": "application/json" }).end(JSON.stringify(said ?? { error: "invalid_grant" }));
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const issuer = `https://localhost:${server.address().port}`;

const data = mkdtempSync(join(tmpdir(), "estimation-"));
const file = join(data, "issuers.toml");
writeFileSync(file, `[example]\nissuer = "${issuer}"\naudiences = ["${CLIENT}"]\nweb_client = "${CLIENT}"\nclient_secret = "${SECRET}"\n`);
const flags = [
  "serve", "--listen", `127.0.0.1:${new URL(url).port}`, "--metrics-listen", "127.0.0.1:0", "--data-dir", data, "--log", "warn",
  "--oidc-issuers", file, "--public-url", url, "--outbound-networks", "127.0.0.0/8",
];
const program = spawn(process.env.ESTIMATION_BINARY, flags, {
  stdio: ["ignore", "pipe", "inherit"],
  env: { ...process.env, SSL_CERT_FILE: certificate },
});
await new Promise((resolve, reject) => {
  program.stdout.once("data", resolve);
  program.once("exit", () => reject(new Error("the server does not start")));
});

const page = await device({ ignoreHTTPSErrors: true, visits: [new URL(issuer).host] });
const enter = async () => {
  await page.goto(`${url}/account`);
  await page.getByRole("button", { name: "Continue with Example" }).click();
};

// The first time it registers, and shows recovery codes.
await enter();
await page.locator(".recovery li").first().waitFor();
expect((await page.locator(".recovery li").count()) === 10, "no recovery codes");
expect(new URL(page.url()).pathname === "/account" && !page.url().includes("code="), `the address is ${page.url()}`);
const name = await page.locator("h1").innerText();

// Another identity is linked, after the page has loaded the list, and one of the two is removed.
subject = "player-8";
const isListed = page.waitForResponse((response) => response.url().endsWith("/identities") && response.request().method() === "GET");
await page.route("**/v1/me/identities", async (route) => {
  if (route.request().method() === "POST") await isListed;
  await route.continue();
});
await page.getByRole("button", { name: "Add Example" }).click();
await page.locator(".ways li").nth(1).waitFor();
await page.unroute("**/v1/me/identities");
await page.locator(".ways li").first().getByRole("button", { name: "Remove" }).click();
await page.waitForFunction(() => document.querySelectorAll(".ways > ul:not(.changes) > li").length === 1);
await page.locator(".ways li").first().getByRole("button", { name: "Remove" }).click();
await page.locator(".ways [role=alert]").waitFor();

// The same person comes back.
await page.getByRole("button", { name: "Sign out" }).click();
await enter();
await page.locator(".ways li").first().waitFor();
expect((await page.locator("h1").innerText()) === name, "it is another account");

// A way back that this tab did not ask for, or of another issuer, signs nobody in.
await page.getByRole("button", { name: "Sign out" }).click();
for (const wrong of [(back) => ({ ...back, state: "of-a-thief" }), (back) => ({ ...back, iss: "https://other.example.org" })]) {
  bend = wrong;
  const isBack = page.waitForResponse((response) => response.url().startsWith(`${url}/?`));
  await enter();
  await isBack;
  await page.waitForURL(`${url}/account`);
  await page.getByRole("button", { name: "Continue with Example" }).waitFor();
  expect((await page.evaluate(() => localStorage.getItem("estimation.refresh-token"))) === null, "a stranger's answer signed in");
}
bend = (back) => ({ ...back, code: "of-nobody" });
await enter();
await page.locator("[role=alert]").waitFor();

program.removeAllListeners("exit");
const isEnded = new Promise((resolve) => program.once("exit", resolve));
program.kill("SIGKILL");
await isEnded;
server.close();
server.closeAllConnections();
rmSync(data, { recursive: true, force: true });
console.log("a player signs in with an issuer, links another identity, and comes back");
await finish();
