// What a person has chosen for this browser.

import { store, stored } from "./game/stored.js";
import { Source } from "./source.js";

const NAME = "estimation.settings";

/**
 * @typedef {object} Choices
 * @property {"slow" | "normal" | "fast"} speed how fast the table shows what happens
 * @property {boolean} sound
 * @property {"four" | "two"} suits the number of colours of the suits
 * @property {boolean} keys whether letters ask about the table
 * @property {boolean} notify whether a hidden page may show a notification
 */

/** @type {Choices} */
const FIRST = { speed: "normal", sound: true, suits: "four", keys: true, notify: false };

class Settings extends Source {
  /** @type {Choices} */
  choices = { ...FIRST, ...stored(NAME) };

  /** @template {keyof Choices} K @param {K} name @returns {Choices[K]} */
  get(name) {
    return this.choices[name];
  }

  /** @template {keyof Choices} K @param {K} name @param {Choices[K]} value */
  set(name, value) {
    this.choices = { ...this.choices, [name]: value };
    store(NAME, this.choices, Object.keys(this.choices).length);
    this.changed();
  }
}

export const settings = new Settings();
