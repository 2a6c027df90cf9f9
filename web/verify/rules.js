// The rules that decide the deals: fields of a ruleset, cards, and the plan of the rounds.

const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const SUITS = ["clubs", "diamonds", "hearts", "spades"];
export const TRUMPS = [...SUITS, "no_trump"];
const JOKERS = ["RJ", "BJ"];

/** All cards in their canonical order. */
const CARDS = [...[..."CDHS"].flatMap((suit) => RANKS.map((rank) => rank + suit)), ...JOKERS];

/** @typedef {Record<string, any>} Rules the fields that decide the deals */

/** The values that each field may have, the preset first. @type {Record<string, any[]>} */
const ROUNDS = {
  version: [1],
  players: [4],
  plan: ["rounds"],
  first_dealer: [3],
  void_check: [true],
  unbid: ["redeal"],
  fast_bidder: [true],
  length: ["full", "mini", "micro"],
  order: ["1-10-1"],
  jokers: [0],
  revokes: ["refuse"],
  fast_redeal: [false, true],
  dash_limit: [2],
  starter_rotation: ["rotate"],
  auction: ["ascending", "single_call"],
  allow_pass: [true],
  seating: ["as_joined"],
  cut: [false],
};
const ROTATIONS = ["rotate", "fixed", "previous_bidder"];
/** @type {Record<string, Record<string, any[]>>} */
export const RULESETS = {
  nineteen: {
    ...ROUNDS,
    players: [4, 2, 3, 5],
    plan: ["turns"],
    first_dealer: [0],
    void_check: [false],
    fast_bidder: [false],
    dash_limit: [0],
    length: ["full"],
    order: ["1-10-1", "10-1-10"],
    jokers: [0, 1, 2],
    revokes: ["refuse", "penalise"],
    fast_redeal: [false],
    auction: ["none"],
  },
  squares: { ...ROUNDS, unbid: ["fold"], starter_rotation: ROTATIONS, dash_limit: [3] },
  kabooot: ROUNDS,
  plain: {
    ...ROUNDS,
    void_check: [false],
    unbid: ["pass_deal"],
    fast_bidder: [false],
    fast_redeal: [false],
    auction: ["single_call"],
    dash_limit: [2, 3],
    allow_pass: [false, true],
    seating: ["draw", "as_joined"],
    cut: [true, false],
  },
  "double-risk": { ...ROUNDS, starter_rotation: ROTATIONS },
};

/**
 * The rules of a game; null if no such ruleset allows them. A missing field has its preset.
 * @param {any} stated
 * @returns {Rules | null}
 */
export function rulesOf(stated) {
  const fields =
    typeof stated?.id === "string" && Object.hasOwn(RULESETS, stated.id)
      ? Object.entries(RULESETS[stated.id] ?? {})
      : [];
  const rules = Object.fromEntries(
    fields.map(([name, [preset]]) => [name, Object.hasOwn(stated, name) ? stated[name] : preset]),
  );
  return fields.length > 0 && fields.every(([name, values]) => values.includes(rules[name])) ? rules : null;
}

/** The canonical order. @param {string} one @param {string} other */
export const byCard = (one, other) => CARDS.indexOf(one) - CARDS.indexOf(other);

/** By rank, then by suit. @param {string} card @param {string} suits the lowest first */
export const strength = (card, suits = "CDHS") => RANKS.indexOf(card.slice(0, -1)) * 4 + suits.indexOf(card.slice(-1));

/** The suit of a card; that of a joker is trump, and null without one. @param {string} card @param {string | null} trump */
export function suitOf(card, trump) {
  if (JOKERS.includes(card)) return trump === "no_trump" ? null : trump;
  return SUITS["CDHS".indexOf(card.slice(-1))] ?? null;
}

/** The cards in play. In rulesets of turns, n players use 10n + 1 cards. @param {Rules} rules @returns {string[]} */
export function packOf({ plan, jokers, players }) {
  const cards = CARDS.slice(0, 52);
  if (plan !== "turns") return cards;
  const kept = cards
    .sort((one, other) => strength(other, "SCDH") - strength(one, "SCDH"))
    .slice(0, 10 * players + 1 - jokers);
  return [...kept, ...JOKERS.slice(0, jokers)].sort(byCard);
}

/** Whether a list has only cards in play, each once. @param {Rules} rules @param {unknown} cards @returns {cards is string[]} */
export const areInPlay = (rules, cards) =>
  Array.isArray(cards) && new Set(cards).size === cards.length && cards.every((card) => packOf(rules).includes(card));

/** The number of auctions, which come first, and of all rounds. @param {Rules} rules */
export function lengthOf({ plan, length }) {
  if (plan === "turns") return { auctions: 0, rounds: 19 };
  return length === "full" ? { auctions: 13, rounds: 18 } : { auctions: 5, rounds: length === "mini" ? 10 : 5 };
}

/** Kind, size of the hands, and trump of a round. @param {Rules} rules @param {number} round */
export function planOf(rules, round) {
  const { auctions } = lengthOf(rules);
  const distance = Math.abs(10 - round);
  if (rules.plan === "turns")
    return { kind: "indicator", hand_size: rules.order === "1-10-1" ? 10 - distance : 1 + distance, trump: null };
  if (round <= auctions) return { kind: "auction", hand_size: 13, trump: null };
  return { kind: "fast", hand_size: 13, trump: TRUMPS[auctions + 5 - round] ?? null };
}
