// The texts of the app, in English and Arabic.

import { Source } from "../source.js";
import { useSource } from "../view.js";

const LANGUAGE = "estimation.language";
const LANGUAGES = ["en", "ar"];

/** The areas whose texts are loaded: each module adds its own. @type {Set<string>} */
const areas = new Set();

/** @type {Record<string, string>} */
let texts = {};
let current = first();
/** @type {Intl.NumberFormat} */
let numbers;
/** @type {Intl.NumberFormat} */
let differences;
const changes = new Source();

function first() {
  const wanted = [localStorage.getItem(LANGUAGE), ...navigator.languages].map((tag) => tag?.slice(0, 2) ?? "");
  return wanted.find((code) => LANGUAGES.includes(code)) ?? "en";
}

/** The code of the language, for `Accept-Language` too. */
export function language() {
  return current;
}

/** Loads the texts of the language and returns its code. */
export async function loadLanguage() {
  texts = Object.assign({}, ...(await Promise.all([...areas].map(textsOf))));
  const locale = current === "ar" ? "ar-EG" : "en";
  numbers = new Intl.NumberFormat(locale);
  differences = new Intl.NumberFormat(locale, { signDisplay: "exceptZero" });
  document.documentElement.lang = current;
  document.documentElement.dir = current === "ar" ? "rtl" : "ltr";
  return current;
}

/**
 * Loads the texts of an area, which a module awaits before it exports anything. The server finds these calls, so that the page
 * of a path has the texts in its head: the area is written as it stands.
 * @param {string} area
 */
export async function loadArea(area) {
  areas.add(area);
  Object.assign(texts, await textsOf(area));
}

/** @param {string} area @returns {Promise<Record<string, string>>} */
async function textsOf(area) {
  return (await import(`./${current}/${area}.js`)).default;
}

/** @param {string} code */
export async function setLanguage(code) {
  localStorage.setItem(LANGUAGE, code);
  current = code;
  await loadLanguage();
  changes.changed();
}

/** Renders the calling component again when the language changes. */
export function useLanguage() {
  useSource(changes);
  return current;
}

/**
 * A text, with `{name}` replaced by the parameter `name`. Numbers are written in the digits of the language.
 * @param {string} key
 * @param {Record<string, string | number>} [parameters]
 * @returns {string}
 */
export function t(key, parameters = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => {
    const value = parameters[name] ?? "";
    return typeof value === "number" ? number(value) : value;
  });
}

/** @param {number} value @param {number} [digits] at least so many, with leading zeros */
export function number(value, digits = 1) {
  return digits === 1 ? numbers.format(value) : new Intl.NumberFormat(numbers.resolvedOptions().locale, { minimumIntegerDigits: digits }).format(value);
}

/** A number with its sign, unless it is 0. @param {number} value */
export function signed(value) {
  return differences.format(value);
}

/** @param {string} at a time of the API @returns {string} the date and the time of the day here */
export function time(at) {
  return new Date(at).toLocaleString(current === "ar" ? "ar-EG" : "en", { dateStyle: "medium", timeStyle: "short" });
}
