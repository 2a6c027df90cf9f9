// A game in sentences, for ears: one for each trick, and nothing is left out.

import { cardName } from "../game/cards.js";
import { number, t } from "../i18n/index.js";
import { words } from "./log.js";
import { namesOf, ownSeat } from "./names.js";

/** @typedef {import("../game/store.js").GameView} GameView */
/** @typedef {import("../game/store.js").EventEnvelope} EventEnvelope */

/** Plays in words. @param {readonly { seat: number, card: string }[]} plays @param {GameView} view */
export function playWords(plays, view) {
  const who = callersOf(view);
  return plays.map(({ seat, card }) => t("ears.says", { who: who[seat] ?? "", what: cardName(card) })).join(t("shell.comma"));
}

/** The names by seat, and "You" for the viewer. @param {GameView} view */
export function callersOf(view) {
  const own = ownSeat(view);
  return namesOf(view).map((name, seat) => (seat === own ? t("felt.you") : name));
}

export class Narrator {
  constructor() {
    /** The cards of the trick that were not told yet. @type {{ seat: number, card: string }[]} */
    this.plays = [];
  }

  /**
   * Tells an event. A card waits for the end of its trick, or for the player's turn.
   * @param {EventEnvelope} envelope
   * @param {GameView} view
   * @returns {string[]}
   */
  tell(envelope, view) {
    const { type, seat, card, score } = envelope.event;
    if (type === "card_played" && seat !== undefined && card) {
      this.plays.push({ seat, card });
      return [];
    }
    if (type === "trick_taken" && this.plays.length > 0) return [this.trick(seat ?? 0, view)];
    const before = this.rest(view);
    const text = score ? resultWords(score, view) : words(envelope, namesOf(view));
    return text ? [...before, text] : before;
  }

  /** What the player must know before the own turn. @param {GameView} view @returns {string[]} */
  turn(view) {
    return [...this.rest(view), t(`table.your.${view.round?.phase}`)];
  }

  /** @private @param {number} winner @param {GameView} view */
  trick(winner, view) {
    const cards = playWords(this.plays.splice(0), view);
    const who = namesOf(view)[winner] ?? "";
    return t(winner === ownSeat(view) ? "ears.takesYou" : "ears.takes", { cards, who });
  }

  /** Tells the cards that are not told yet. @param {GameView} view @returns {string[]} */
  rest(view) {
    const plays = this.plays.splice(0);
    return plays.length > 0 ? [t("ears.cards", { cards: playWords(plays, view) })] : [];
  }
}

/** @param {import("../schema").components["schemas"]["ScoredRound"]} score @param {GameView} view */
function resultWords({ round, points, totals }, view) {
  const who = callersOf(view);
  const seats = points.map((one, seat) => t("ears.resultSeat", { who: who[seat] ?? "", points: number(one), total: totals[seat] ?? 0 }));
  return t("ears.result", { round, points: seats.join(t("shell.semicolon")) });
}
