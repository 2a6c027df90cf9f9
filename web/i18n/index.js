// The texts of the app, in English and Arabic.

import { Source } from "../source.js";
import { useSource } from "../view.js";

const LANGUAGE = "estimation.language";
const LANGUAGES = ["en", "ar"];
const AREAS = ["shell", "table", "records"];

/** @type {Record<string, string>} */
let texts = {};
let current = first();
/** @type {Intl.NumberFormat} */
let numbers;
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
  const files = await Promise.all(AREAS.map((area) => import(`./${current}/${area}.js`)));
  texts = Object.assign({}, ...files.map((file) => file.default));
  numbers = new Intl.NumberFormat(current === "ar" ? "ar-EG" : "en");
  document.documentElement.lang = current;
  document.documentElement.dir = current === "ar" ? "rtl" : "ltr";
  return current;
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

/** @param {number} value */
export function number(value) {
  return numbers.format(value);
}

/** @param {string} at a time of the API @returns {string} the date and the time of the day here */
export function time(at) {
  return new Date(at).toLocaleString(current === "ar" ? "ar-EG" : "en", { dateStyle: "medium", timeStyle: "short" });
}
