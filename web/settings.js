// What a person has chosen for this browser.

import { store, stored } from "./game/stored.js";
import { Source } from "./source.js";

const NAME = "estimation.settings";

const FIRST = {
  /** How fast the table shows what happens. @type {"slow" | "normal" | "fast"} */ speed: "normal",
  sound: true,
  /** The number of colours of the suits. @type {"four" | "two"} */ suits: "four",
  /** Whether letters ask about the table. */ keys: true,
  /** Whether a hidden page may show a notification. */ notify: false,
  /** Whether the server may tell this browser while no page is open. @type {"unasked" | "on" | "off"} */ push: "unasked",
};
/** @typedef {typeof FIRST} Choices */

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
    store(NAME, this.choices);
    this.changed();
  }

  /** @template {keyof Choices} K @param {K} name @returns {(value: Choices[K]) => void} */
  setter(name) {
    return (value) => this.set(name, value);
  }
}

export const settings = new Settings();

/** Tells style/cards.css the number of colours of the suits, now and after each change. */
export function followSuits() {
  const show = () => void (document.documentElement.dataset.suits = settings.get("suits"));
  settings.subscribe(show);
  show();
}
