// Requests to the server: the access token, the language, and repetition of what failed for a while.

import { language } from "../i18n/index.js";
import { Offline, Problem, problemOf } from "./problem.js";

/** The server answers each request within 10 seconds. */
const TIMEOUT_MS = 15_000;
const ATTEMPTS = 4;

/**
 * Whose requests these are. The session says so itself, since it sends requests as well. `passSecondStep` says whether to send a
 * refused request again.
 * @typedef {{ accessToken: () => Promise<string | null>, expire: (token: string | null) => void,
 *     passSecondStep: (problem: Problem, method: string) => Promise<boolean> }} Sender
 */
/** @type {Sender | null} */
let sender = null;

/** @param {Sender} one */
export const sendFor = (one) => void (sender = one);

/**
 * @typedef {{ headers?: Record<string, string>, signal?: AbortSignal, once?: boolean, anonymous?: boolean, fleeting?: boolean }} Options
 *     `once`: the server carries out the request once, however often it arrives; `anonymous`: without an access token; `fleeting`: of
 *     no use later
 */

/**
 * Sends a request by the path template of the document, and returns the body of the answer: see `request`. Its types are those of
 * the operation.
 * @type {Api}
 */
export const api = async (method, path, /** @type {any[]} */ ...[options]) =>
  (await request(method, filled(path, options), options)).data;

/**
 * The path of a template, with the query. What is undefined of a query is left out.
 * @param {string} template @param {{ path?: object, query?: object }} [parameters]
 */
export function filled(template, { path = {}, query = {} } = {}) {
  const values = Object.entries(path);
  const named = values.reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), template);
  const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined)).toString();
  return words ? `${named}?${words}` : named;
}

/**
 * Sends a request and reads the answer: JSON, else text; null without a body. A GET or a PUT, and a request with `once` or with
 * `If-Match`, is sent again after a broken connection; every request is, after an answer that says so or that needs the second step.
 * @param {string} method
 * @param {string} path
 * @param {Options & { body?: unknown }} [options] the body is sent as JSON
 * @returns {Promise<{ status: number, headers: Headers, data: any }>}
 * @throws {Problem} the server refused the request
 * @throws {Offline} no answer arrived
 */
export async function request(method, path, options = {}) {
  const headers = { ...options.headers, ...(options.once ? { "Idempotency-Key": randomHex(16) } : {}) };
  const isRepeatable = ["GET", "PUT"].includes(method) || options.once || "If-Match" in headers;
  let refreshed = false;
  for (let attempt = 1; ; attempt += 1) {
    const token = (!options.anonymous && (await sender?.accessToken())) || null;
    let answer;
    try {
      answer = await send(method, path, { ...options, headers }, token, AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      if (options.signal?.aborted) throw error;
      if (!isRepeatable || attempt === ATTEMPTS) throw new Offline(String(error));
      await pause(300 * 2 ** attempt);
      continue;
    }
    noteTime(answer);
    if (answer.ok || answer.status === 304)
      return { status: answer.status, headers: answer.headers, data: await read(answer) };
    const problem = await problemOf(answer);
    if (problem.code === "token-expired" && !refreshed) {
      refreshed = true;
      sender?.expire(token);
    } else if (mayPass(problem, isRepeatable) && attempt < ATTEMPTS && !options.fleeting) {
      await pause(Math.min(Number(answer.headers.get("Retry-After") ?? 1), 10) * 1000);
    } else if (attempt === ATTEMPTS || !(await sender?.passSecondStep(problem, method))) {
      if (problem.status === 401 && token !== null) sender?.expire(token);
      throw problem;
    }
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Options & { body?: unknown }} options
 * @param {string | null} token
 * @param {AbortSignal} timeout
 */
export function send(method, path, { body, headers: own, signal }, token, timeout) {
  const headers = new Headers({ "Accept-Language": language(), ...own });
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const ends = signal ? AbortSignal.any([signal, timeout]) : timeout;
  return fetch(path, { method, headers, body: JSON.stringify(body), signal: ends, cache: "no-store" });
}

/**
 * Whether the same request may succeed soon. After `outcome-unknown` it may have been carried out.
 * @param {Problem} problem @param {boolean | undefined} isRepeatable
 */
function mayPass({ status, code }, isRepeatable) {
  return (status === 429 && code !== "openings-missed") || (status === 503 && (isRepeatable || code === "unavailable"));
}

/** @param {Response} answer */
async function read(answer) {
  const text = await answer.text();
  if (text === "") return null;
  return answer.headers.get("Content-Type")?.startsWith("application/json") ? JSON.parse(text) : text;
}

/** How far the server's clock is ahead of this device's, in milliseconds. */
let ahead = 0;

/** @param {Response} answer */
function noteTime(answer) {
  const at = Date.parse(answer.headers.get("Date") ?? "");
  // The header has whole seconds. A smaller difference is no difference.
  if (Math.abs(at - Date.now()) > 2_000) ahead = at - Date.now();
}

/** The present time by the server's clock, in milliseconds. */
export const now = () => Date.now() + ahead;

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** When the browser notices that the network is back. */
export const online = () => new Promise((resolve) => addEventListener("online", resolve, { once: true }));

/**
 * Repeats an attempt after pauses that grow, and at once when the network is back.
 * @param {() => Promise<boolean>} attempt returns whether there is nothing to repeat
 */
export async function repeat(attempt) {
  for (let wait = 1_000; !(await attempt()); wait = Math.min(2 * wait, 15_000))
    await Promise.race([pause(wait), online()]);
}

/** @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Also outside secure contexts, which have no `randomUUID`. @param {number} length in bytes */
export const randomHex = (length) => hex(crypto.getRandomValues(new Uint8Array(length)));
