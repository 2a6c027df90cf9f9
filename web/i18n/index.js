// The texts of the app, in English and Arabic.

import { Source } from "../source.js";
import { useSource } from "../view.js";

const LANGUAGE = "estimation.language";

/** The locale of each language. @type {Record<string, string>} */
const LOCALES = { en: "en", ar: "ar-EG" };

/** The areas whose texts are loaded: each module adds its own. @type {Set<string>} */
const areas = new Set();
const changes = new Source();
const wanted = [localStorage.getItem(LANGUAGE), ...navigator.languages].map((tag) => tag?.slice(0, 2) ?? "");
let current = wanted.find((code) => Object.hasOwn(LOCALES, code)) ?? "en";
/** @type {Record<string, string>} */ let texts = {};
/** @type {Intl.NumberFormat} */ let numbers;
/** @type {Intl.NumberFormat} */ let differences;

/** The code of the language, for `Accept-Language` too. */
export const language = () => current;

/** Loads the texts of the language and returns its code. */
export async function loadLanguage() {
  texts = Object.assign({}, ...(await Promise.all([...areas].map(textsOf))));
  numbers = new Intl.NumberFormat(LOCALES[current]);
  differences = new Intl.NumberFormat(LOCALES[current], { signDisplay: "exceptZero" });
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
const textsOf = async (area) => (await import(`./${current}/${area}.js`)).default;

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

/** A name that does not turn the text around it: Arabic and Latin names stand in one line. @param {string} name */
export const isolated = (name) => `\u2068${name}\u2069`;

/** @param {number} value @param {number} [digits] at least so many, with leading zeros */
export const number = (value, digits = 1) =>
  (digits === 1 ? numbers : new Intl.NumberFormat(LOCALES[current], { minimumIntegerDigits: digits })).format(value);

/** A number with its sign, unless it is 0. @param {number} value */
export const signed = (value) => differences.format(value);

/** @param {string} at a time of the API @returns {string} the date and the time of the day here */
export const time = (at) => new Date(at).toLocaleString(LOCALES[current], { dateStyle: "medium", timeStyle: "short" });
