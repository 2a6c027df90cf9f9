// Cards as the API writes them: "10H", "AS", or "RJ" and "BJ" for the jokers.

import { t } from "../i18n/index.js";

/** @typedef {"S" | "H" | "D" | "C" | "J"} Suit a suit's letter, or J for the jokers */

/** @type {Record<Suit, string>} */
export const SYMBOLS = { S: "♠", H: "♥", D: "♦", C: "♣", J: "★" };

/** The suits around a circle: black and red take turns, from wherever one begins. */
const CIRCLE = "SHCD";
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];

/** @param {string} card @returns {{ rank: string, suit: Suit }} */
export function parse(card) {
  const suit = /** @type {Suit} */ (card.slice(-1));
  return card === "RJ" || card === "BJ" ? { rank: card, suit: "J" } : { rank: card.slice(0, -1), suit };
}

/** The card in words, for screen readers. @param {string} card */
export function cardName(card) {
  const { rank, suit } = parse(card);
  return suit === "J" ? t(`card.${rank}`) : t("card.name", { rank: t(`card.${rank}`), suit: t(`card.suit.${suit}`) });
}

/**
 * A hand in the order in which people hold it: the jokers, the trump, and the other suits, each from the ace down. The order of
 * the suits depends on the trump alone, so no card moves aside when the last one of a suit is played.
 * @param {readonly string[]} cards
 * @param {string | null} [trump] as in the view: "spades", …, "no_trump"
 */
export function sorted(cards, trump = null) {
  const first = Math.max(0, CIRCLE.indexOf(trump?.charAt(0).toUpperCase() ?? "S"));
  const place = (/** @type {string} */ card) => {
    const { rank, suit } = parse(card);
    if (suit === "J") return rank === "RJ" ? -20 : -19;
    return ((CIRCLE.indexOf(suit) - first + CIRCLE.length) % CIRCLE.length) * 20 - RANKS.indexOf(rank);
  };
  return [...cards].sort((one, other) => place(one) - place(other));
}
