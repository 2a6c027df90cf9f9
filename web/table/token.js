// What a player has promised, against the tricks taken.

import { SYMBOLS } from "../game/cards.js";
import { number, t } from "../i18n/index.js";

/** @typedef {Schemas["Trump"]} Trump */

/** @type {Record<Trump, string>} */
const TRUMPS = { clubs: SYMBOLS.C, diamonds: SYMBOLS.D, hearts: SYMBOLS.H, spades: SYMBOLS.S, no_trump: "" };

/** @param {Trump} trump the suit's symbol, or the word for none */
export const trumpSymbol = (trump) => TRUMPS[trump] || t("felt.noTrump");

/** @param {number} tricks @param {Trump | null | undefined} trump */
export const bidText = (tricks, trump) => (trump ? `${number(tricks)}\u00a0${trumpSymbol(trump)}` : number(tricks));

/** @param {string} kind */
export const isDash = (kind) => kind === "dash_call" || kind === "blind_dash";

/**
 * Whether a call is made so far, or cannot be made any more. That of no trick is made at the end.
 * @param {number} call @param {number} taken @param {number} left tricks
 */
export function chanceOf(call, taken, left) {
  if (taken > call || call - taken > left) return "lost";
  return taken === call && (call > 0 || left === 0) ? "met" : "open";
}

/**
 * The call of a seat against its tricks; null before the call. Without `taken` the tricks are concealed, or none was played.
 * @param {GameView} view @param {number} seat
 */
export function standingOf({ round }, seat) {
  const call = round?.calls.find((one) => one.seat === seat);
  if (!round || !call) return null;
  const all = (round.phase === "play" && round.tricks_taken) || [];
  const taken = all[seat] ?? null;
  const left = all.reduce((sum, tricks) => sum - tricks, round.hand_size);
  return { call, taken, chance: taken === null ? "open" : chanceOf(call.tricks, taken, left) };
}

/**
 * The words of a token: the call with the trump of a bid, or what was said last in the auction.
 * @param {GameView} view
 * @param {number} seat
 */
export function tokenOf({ round }, seat) {
  const call = round?.calls.find((one) => one.seat === seat);
  if (call)
    return isDash(call.kind)
      ? t(`table.${call.kind}`)
      : bidText(call.tricks, call.kind === "bid" ? round?.trump : null);
  const said = round?.auction.findLast((one) => one.seat === seat);
  if (!said) return null;
  return said.tricks === undefined ? t(`said.${said.type}`) : bidText(said.tricks, said.trump);
}
