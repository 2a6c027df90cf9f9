// Bytes, hashes, signatures, and the forms of JSON. Hashes and signatures come from the vendored library in every context,
// because browsers offer their own only over https.

import { hashes, hmac, sha256 as hash, sha512, verify } from "../vendor/noble/noble.js";

hashes.sha512 = sha512;

/** @typedef {Uint8Array} Bytes */
/** Whether a value has a form. @typedef {(value: any) => boolean} Form */

/** The deepest nesting of lists and objects in a file. */
const DEEPEST = 64;

const TIME = /^(?!0000|9999)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const HALF_OF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

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

/** Ed25519 by RFC 8032, strictly. @param {Bytes} signature @param {Bytes} message @param {Bytes} key */
export const isSigned = (signature, message, key) =>
  tried(() => verify(signature, message, key, { zip215: false })) ?? false;

/** @param {string} text @returns {Bytes} its UTF-8 */
export const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Bytes} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} digits pairs of hexadecimal digits @returns {Bytes} */
export const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {Bytes} bytes @returns {string} base64url without padding */
export const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** @param {string} text base64 with padding @returns {Bytes} @throws {Error} if it is not base64 */
export function unbase64(text) {
  const bytes = atob(text);
  if (btoa(bytes) !== text) throw new Error("not base64");
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}

/** RFC 8785 with ASCII keys and whole numbers only. @param {unknown} value @returns {string} @throws {Error} if there is none */
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

/** @param {string} text @returns {any} undefined if the text is not JSON, or not every program reads it alike */
export function parsed(text) {
  const value = tried(() => JSON.parse(text));
  return isSound(value) ? value : undefined;
}

/**
 * Whether a value is not too deep, without half a surrogate pair or a number beyond a double.
 * @param {any} value
 * @returns {boolean}
 */
function isSound(value, depth = 0) {
  if (typeof value === "string") return !HALF_OF_PAIR.test(value);
  if (typeof value !== "object" || value === null) return typeof value !== "number" || Number.isFinite(value);
  return depth < DEEPEST && Object.entries(value).every(([key, item]) => isSound(key) && isSound(item, depth + 1));
}

/** @type {Form} */ export const isAny = () => true;
/** @type {Form} */ export const isText = (value) => typeof value === "string";
/** @type {Form} */ export const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
/** @type {Form} */ export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** @type {Form} */ export const isTime = (value) =>
  TIME.test(value) && tried(() => new Date(value).toISOString()) === value;

/** @param {number} length @returns {Form} for text of so many hexadecimal digits */
export const isHex = (length) => (value) => isText(value) && value.length === length && /^[0-9a-f]*$/.test(value);

/** @param {Form} fits @returns {Form} */
export const nullOr = (fits) => (value) => value === null || fits(value);

/** @param {Form} fits @returns {Form} for lists of at most so many items */
export const listOf =
  (fits, most = Infinity) =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(fits);

/** @param {Record<string, Form>} members @returns {Form} for objects with exactly these members */
export const objectOf = (members) => (value) =>
  isObject(value) &&
  Object.keys(value).length === Object.keys(members).length &&
  Object.entries(members).every(([name, fits]) => Object.hasOwn(value, name) && fits(value[name]));
