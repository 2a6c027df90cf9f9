// The API browser as somebody uses it, in jsdom: open /docs/, press Authorize, give a token, try an operation.
// `node browse.mjs URL TOKEN` fails unless the operation is sent with the token and its answer is shown.

import { JSDOM, ResourceLoader, VirtualConsole } from "jsdom";

const [url, token] = process.argv.slice(2);
/** How often the page is looked at. Looks are counted: a machine that is slow to draw the page looks less often. */
const LOOKS = 1_200;

const requests = [];
const hosts = new Set();

/** Loads what the page asks for, and remembers from where. */
class Remembering extends ResourceLoader {
  fetch(address, options) {
    hosts.add(new URL(address).host);
    return super.fetch(address, options);
  }
}

/**
 * Sends a request as browsers do: if the service closed a kept connection in the meantime, on a new one.
 * Drawing the page keeps jsdom busy for longer than the service keeps a connection.
 */
async function send(request) {
  const again = request.method === "GET" && request.clone();
  try {
    return await fetch(request);
  } catch (error) {
    if (!again) throw error;
    return await fetch(again);
  }
}

const complaints = [];
const virtualConsole = new VirtualConsole();
virtualConsole.on("jsdomError", (error) => complaints.push(error.message));

const dom = await JSDOM.fromURL(`${url}/docs/`, {
  runScripts: "dangerously",
  resources: new Remembering(),
  pretendToBeVisual: true,
  virtualConsole,
  beforeParse(window) {
    window.fetch = async (input, init = {}) => {
      const request = new Request(new URL(input.url ?? input, `${url}/docs/`), { ...init, signal: undefined });
      hosts.add(new URL(request.url).host);
      requests.push({ path: new URL(request.url).pathname, authorization: request.headers.get("authorization") });
      return send(request);
    };
    Object.assign(window, { Request, Response, Headers, TextEncoder, TextDecoder, structuredClone });
    window.matchMedia ??= () => ({ matches: false, addListener() {}, removeListener() {} });
    window.scrollTo = () => {};
  },
});
const { document } = dom.window;

/** Waits until something is on the page. */
async function until(what, found) {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const result = found();
    if (result) return result;
    await new Promise((wake) => setTimeout(wake, 50));
  }
  throw new Error(`${what} did not come; the page said: ${complaints.join("; ") || "nothing"}`);
}

/** Types into a field as a person would: React listens to the native event. */
function type(field, text) {
  Object.getOwnPropertyDescriptor(dom.window.HTMLInputElement.prototype, "value").set.call(field, text);
  field.dispatchEvent(new dom.window.Event("input", { bubbles: true }));
}

const one = (selector) => () => document.querySelector(selector);
const button = (selector, text) => () => [...document.querySelectorAll(selector)].find((b) => b.textContent.trim() === text);

(await until("the button to authorise", one("button.authorize"))).click();
const field = await until("the field for the token", one(".auth-container input"));
type(field, token);
(await until("the button in the dialog", button(".auth-btn-wrapper button", "Authorize"))).click();
await until("being signed in", button(".auth-btn-wrapper button", "Logout"));
(await until("the button to close", button(".auth-btn-wrapper button", "Close"))).click();

(await until("the operation getMe", one("#operations-accounts-getMe .opblock-summary-control"))).click();
(await until("the button to send it", one("#operations-accounts-getMe .execute"))).click();
const shown = () => document.querySelector("#operations-accounts-getMe")?.textContent ?? "";
await until("the answer", () => /Server response.*Details200/s.test(shown()) && shown().includes('"kind": "guest"'));

const sent = requests.find((request) => request.path === "/v1/me");
if (sent?.authorization !== `Bearer ${token}`) throw new Error(`it was sent with ${sent?.authorization}`);
const own = new URL(url).host;
if ([...hosts].some((host) => host !== own)) throw new Error(`the page asked ${[...hosts].join(", ")}`);
console.log("signed in, asked for /v1/me with the token, from no other host");
dom.window.close();
process.exit(0);
