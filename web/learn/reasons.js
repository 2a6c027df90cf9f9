// Why a card or a call is not allowed, as one sentence from the code of the problem and its data.

import { SYMBOLS } from "../game/cards.js";
import { loadArea, t } from "../i18n/index.js";

await Promise.all([loadArea("learn"), loadArea("table")]);

/** The letter of a suit in the names of cards. */
const LETTERS = /** @type {const} */ ({ clubs: "C", diamonds: "D", hearts: "H", spades: "S" });

/** A suit as its symbol and name, "♣ clubs". @param {keyof typeof LETTERS} suit */
const suitName = (suit) => `${SYMBOLS[LETTERS[suit]]} ${t(`card.suit.${LETTERS[suit]}`)}`;

/** @param {string} trump */
const trumpName = (trump) =>
  trump in LETTERS ? suitName(/** @type {keyof typeof LETTERS} */ (trump)) : t("trump.no_trump");

/** @typedef {{ code: string, members: Partial<Schemas["Problem"]> }} Refused */

/**
 * The most exact text that the code has; null for a problem that is none of the rules: it has its own words.
 * @param {Refused} problem
 */
export function reason({ code, members }) {
  const { tricks, trump } = members.changed ?? members;
  const parameters = {
    limit: members.limit ?? 0,
    min: members.min ?? 0,
    max: members.max ?? 0,
    barred: members.barred ?? 0,
    total: members.total ?? 0,
    tricks: tricks ?? 0,
    trump: trump ? trumpName(trump) : "",
    suit: members.led ? suitName(members.led) : "",
  };
  const keys = [`why.${code}.${members.phase}`, members.changed ? `why.${code}.over` : "", `why.${code}`];
  const key = keys.find((one) => one && t(one) !== one);
  return key ? t(key, parameters) : null;
}
