// Bytes, hashes, signatures and canonical JSON. They come from the vendored library in every context, because browsers
// offer their own only over https.

import { hashes, hmac, sha256, sha512, verify } from "../vendor/noble/noble.js";

hashes.sha512 = sha512;

/** @typedef {Uint8Array} Bytes */

export { sha256 };

/** @param {Bytes} key @param {Bytes} message @returns {Bytes} HMAC-SHA256 */
export const hmacSha256 = (key, message) => hmac(sha256, key, message);

/** @param {string} text @returns {Bytes} its UTF-8 */
export const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Bytes} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} digits pairs of hexadecimal digits @returns {Bytes} */
export const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {string} text base64 with padding @returns {Bytes} @throws {Error} if it is not base64 */
export function unbase64(text) {
  const bytes = atob(text);
  if (btoa(bytes) !== text) throw new Error("not base64");
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}

/** @param {Bytes} bytes @returns {string} base64url without padding */
export const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** @param {...Bytes} parts @returns {Bytes} */
export function joined(...parts) {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Whether `value` is text of exactly `length` hexadecimal digits. @param {unknown} value @param {number} length @returns {value is string} */
export const isHex = (value, length) => typeof value === "string" && value.length === length && /^[0-9a-f]*$/.test(value);

/** Ed25519 by RFC 8032, strictly. @param {Bytes} signature @param {Bytes} message @param {Bytes} key */
export function isSigned(signature, message, key) {
  try {
    return verify(signature, message, key, { zip215: false });
  } catch {
    return false;
  }
}

/** The deepest nesting of lists and objects in a file. */
const DEEPEST = 64;

/** Canonical JSON: RFC 8785 with ASCII keys and whole numbers only. @param {unknown} value @returns {string} @throws {Error} if it has none */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const pairs = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    if (pairs.some(([key]) => !/^[\x00-\x7f]*$/.test(key))) throw new Error("a key is not ASCII");
    return `{${pairs.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Error("a number is not whole");
  return JSON.stringify(value);
}

/** Whether two values have the same canonical JSON. @param {unknown} one @param {unknown} other */
export const same = (one, other) => canonical(one) === canonical(other);

/**
 * Whether a parsed value is not nested too deep, and has no half of a surrogate pair and no number beyond a double.
 * @param {unknown} value @returns {boolean}
 */
export function isSoundJson(value, depth = 0) {
  if (typeof value === "string") return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return depth < DEEPEST && Object.entries(value).every(([key, item]) => isSoundJson(key) && isSoundJson(item, depth + 1));
}
