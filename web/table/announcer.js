// What is said aloud: what happens, in sentences, one for each trick and without leaving anything out, and answers to the keys.

import { cardName } from "../game/cards.js";
import { namesOf, ownSeat } from "../game/seats.js";
import { loadArea, number, t } from "../i18n/index.js";
import { Source } from "../source.js";
import { words } from "./log.js";

await loadArea("ears");

/** @typedef {{ seat: number, card: string }} PlayedCard */
/** @typedef {{ id: number, text: string }} Sentence */

/** So many sentences stay on the page. Screen readers read each when it appears. */
const KEPT = 40;

/** The names by seat, and "You" for the viewer. @param {GameView} view */
export const callersOf = (view) => namesOf(view).map((name, seat) => (seat === ownSeat(view) ? t("felt.you") : name));

/** Plays in words. @param {readonly PlayedCard[]} plays @param {GameView} view */
export function playWords(plays, view) {
  const who = callersOf(view);
  return plays
    .map(({ seat, card }) => t("ears.says", { who: who[seat] ?? "", what: cardName(card) }))
    .join(t("shell.comma"));
}

export class Voice extends Source {
  /** The sentences so far. @type {Sentence[]} */
  said = [];
  /** The answer to the last question. @type {Sentence | null} */
  answer = null;
  count = 0;
  /** The last event that was told. @type {number | null} */
  seq = null;
  /** The version whose turn was told. */
  turn = 0;
  /** The cards of the trick that were not told yet. @type {PlayedCard[]} */
  plays = [];

  /** @param {Shown} shown */
  constructor(shown) {
    super();
    this.shown = shown;
  }

  /** Tells what the table shows until the returned function is called. */
  follow() {
    this.take();
    return this.shown.subscribe(() => this.take());
  }

  /** Answers a question at once. @param {string} text */
  reply(text) {
    this.answer = this.sentence(text);
    this.changed();
  }

  /** Drops old sentences, after the new ones have appeared on the page. */
  forget() {
    this.said = this.said.slice(-KEPT);
  }

  /** @private */
  take() {
    const { view, seq, game, legal } = this.shown;
    if (!view) return;
    // The page was opened, or the server has an earlier state.
    if (this.seq === null || seq < this.seq) [this.seq, this.plays] = [seq, []];
    const from = this.seq;
    const news = game.events.filter((one) => one.seq > from && one.seq <= seq);
    // Events are missing: the trick before them is over.
    const rest = news.length < seq - from ? this.rest(view) : [];
    const sentences = [...rest, ...news.flatMap((one) => this.tell(one, view))];
    this.seq = seq;
    if (legal.some(({ type }) => type !== "resume") && this.turn !== view.version) {
      this.turn = view.version;
      sentences.push(...this.rest(view), t(`table.your.${view.round?.phase}`));
    }
    if (sentences.length === 0) return;
    this.said = [...this.said, ...sentences.map((text) => this.sentence(text))];
    this.changed();
  }

  /**
   * A card waits for the end of its trick, or for the player's turn. @private
   * @param {EventEnvelope} envelope
   * @param {GameView} view
   */
  tell(envelope, view) {
    const { type, seat, card, score } = envelope.event;
    if (type === "card_played" && seat !== undefined && card) {
      this.plays.push({ seat, card });
      return [];
    }
    if (type === "trick_taken" && this.plays.length > 0) {
      const cards = playWords(this.plays.splice(0), view);
      return [
        t(seat === ownSeat(view) ? "ears.takesYou" : "ears.takes", { cards, who: namesOf(view)[seat ?? 0] ?? "" }),
      ];
    }
    const text = score ? resultWords(score, view) : words(envelope, namesOf(view));
    return [...this.rest(view), ...(text ? [text] : [])];
  }

  /** Tells the cards that are not told yet. @private @param {GameView} view */
  rest(view) {
    const plays = this.plays.splice(0);
    return plays.length > 0 ? [t("ears.cards", { cards: playWords(plays, view) })] : [];
  }

  /** @private @param {string} text */
  sentence(text) {
    this.count += 1;
    return { id: this.count, text };
  }
}

/** @param {Schemas["ScoredRound"]} score @param {GameView} view */
function resultWords({ round, points, totals }, view) {
  const who = callersOf(view);
  const seats = points.map((one, seat) =>
    t("ears.resultSeat", { who: who[seat] ?? "", points: number(one), total: totals[seat] ?? 0 }),
  );
  return t("ears.result", { round, points: seats.join(t("shell.semicolon")) });
}
