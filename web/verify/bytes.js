// Bytes, hashes, signatures and canonical JSON. They come from the vendored library in every context, because browsers
// offer their own only over https.

import { hashes, hmac, sha256 as hash, sha512, verify } from "../vendor/noble/noble.js";

hashes.sha512 = sha512;

/** @typedef {Uint8Array} Bytes */

/** What a function returns; undefined if it throws. @template T @param {() => T} make */
export function tried(make) {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** @param {...Bytes} parts hashed as one @returns {Bytes} */
export const sha256 = (...parts) => parts.reduce((all, part) => all.update(part), hash.create()).digest();

/** @param {Bytes} key @param {Bytes} message @returns {Bytes} HMAC-SHA256 */
export const hmacSha256 = (key, message) => hmac(hash, key, message);

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

/** Ed25519 by RFC 8032, strictly. @param {Bytes} signature @param {Bytes} message @param {Bytes} key */
export const isSigned = (signature, message, key) => tried(() => verify(signature, message, key, { zip215: false })) ?? false;

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
