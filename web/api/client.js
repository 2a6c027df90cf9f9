// Requests to the server: the access token, the language, and repetition of what failed for a while.

import { language } from "../i18n/index.js";
import { Offline, Problem, problemOf } from "./problem.js";
import { session } from "./session.js";

/** The server answers each request within 10 seconds. */
const TIMEOUT_MS = 15_000;
const ATTEMPTS = 4;

/**
 * @typedef {object} Options
 * @property {unknown} [body] sent as JSON
 * @property {Record<string, string>} [headers]
 * @property {string} [key] an idempotency key: the server carries out the request once, however often it arrives
 * @property {AbortSignal} [signal]
 * @property {boolean} [anonymous] send no access token
 */

/**
 * Sends a request and reads the answer: JSON, else text; null without a body. A GET or a PUT, and a request with a key or with
 * `If-Match`, is sent again after a broken connection; every request is, after an answer that says so.
 * @param {string} method
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<{ status: number, headers: Headers, data: any }>}
 * @throws {Problem} the server refused the request
 * @throws {Offline} no answer arrived
 */
export async function request(method, path, options = {}) {
  const isRepeatable = ["GET", "PUT"].includes(method) || options.key !== undefined || "If-Match" in (options.headers ?? {});
  let refreshed = false;
  for (let attempt = 1; ; attempt += 1) {
    const token = options.anonymous ? null : await session.accessToken();
    let answer;
    try {
      answer = await send(method, path, options, token, AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      if (options.signal?.aborted) throw error;
      if (!isRepeatable || attempt === ATTEMPTS) throw new Offline(String(error));
      await pause(300 * 2 ** attempt);
      continue;
    }
    noteTime(answer);
    if (answer.ok || answer.status === 304) return { status: answer.status, headers: answer.headers, data: await read(answer) };
    const problem = await problemOf(answer);
    if (problem.code === "token-expired" && !refreshed) {
      refreshed = true;
      session.expire(token);
    } else if (isPassing(problem, isRepeatable) && attempt < ATTEMPTS) {
      await pause(Math.min(Number(answer.headers.get("Retry-After") ?? 1), 10) * 1000);
    } else {
      if (problem.status === 401 && token !== null) session.expire(token);
      throw problem;
    }
  }
}

/** @param {string} method @param {string} path @param {Options} options @param {string | null} token @param {AbortSignal} timeout */
export function send(method, path, options, token, timeout) {
  const headers = new Headers({ "Accept-Language": language(), ...options.headers });
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  if (options.key !== undefined) headers.set("Idempotency-Key", options.key);
  if (options.body !== undefined) headers.set("Content-Type", "application/json");
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  return fetch(path, { method, headers, body, signal, cache: "no-store" });
}

/**
 * Whether the same request may succeed soon. After `outcome-unknown` it may have been carried out.
 * @param {Problem} problem
 * @param {boolean} isRepeatable
 */
function isPassing(problem, isRepeatable) {
  const isLimited = problem.status === 429 && problem.code !== "openings-missed";
  return isLimited || (problem.status === 503 && (isRepeatable || problem.code === "unavailable"));
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
export function now() {
  return Date.now() + ahead;
}

/** @param {number} milliseconds */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** When the browser notices that the network is back. */
export function online() {
  return new Promise((resolve) => addEventListener("online", resolve, { once: true }));
}

/** A key for a request that must be carried out once. Also outside secure contexts, which have no `randomUUID`. */
export function newKey() {
  return randomHex(16);
}

/** @param {number} bytes */
export function randomHex(bytes) {
  const values = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(values, (value) => value.toString(16).padStart(2, "0")).join("");
}
