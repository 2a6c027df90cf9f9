// The forms of values in a file.

import { tried } from "./bytes.js";

/** Whether a value has a form. @typedef {(value: any) => boolean} Form */

/** The deepest nesting of lists and objects in a file. */
const DEEPEST = 64;

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const TIME = /^(?!0000|9999)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

export const isAny = () => true;

/** @type {Form} */
export const isText = (value) => typeof value === "string";

/** @type {Form} */
export const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** @type {Form} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @type {Form} */
export const isTime = (value) => isText(value) && TIME.test(value) && tried(() => new Date(value).toISOString()) === value;

/** Whether a value is text of exactly `length` hexadecimal digits. @param {unknown} value @param {number} length @returns {value is string} */
export const isHex = (value, length) => typeof value === "string" && value.length === length && /^[0-9a-f]*$/.test(value);

/** Whether a value is an object with exactly these members. @param {any} value @param {Record<string, Form>} members */
export const hasForm = (value, members) =>
  isObject(value) && Object.keys(value).length === Object.keys(members).length &&
  Object.entries(members).every(([name, fits]) => Object.hasOwn(value, name) && fits(value[name]));

/** @param {string} text @returns {any} undefined if the text is not JSON, or has a value that no program reads alike */
export function parsed(text) {
  const value = tried(() => JSON.parse(text));
  return isSound(value) ? value : undefined;
}

/** Whether a value is not nested too deep, and has no half of a surrogate pair and no number beyond a double. @param {unknown} value @returns {boolean} */
function isSound(value, depth = 0) {
  if (typeof value === "string") return !LONE_SURROGATE.test(value);
  if (typeof value !== "object" || value === null) return typeof value !== "number" || Number.isFinite(value);
  return depth < DEEPEST && Object.entries(value).every(([key, item]) => isSound(key) && isSound(item, depth + 1));
}
