// Questions about the table that keys ask, and their answers in words.

import { cardName, parse, sorted } from "../game/cards.js";
import { acting, namesOf, ownSeat } from "../game/seats.js";
import { number, t } from "../i18n/index.js";
import { callersOf, playWords } from "./announcer.js";
import { secondsTo } from "./clock.js";
import { isDash } from "./token.js";

/** @typedef {{ name: string, letter: string, answer: (shown: Shown, view: GameView) => string }} Question */

/** @type {Question[]} */
export const QUESTIONS = [
  { name: "hand", letter: "H", answer: (_, view) => hand(view) },
  { name: "playable", letter: "P", answer: ({ legal }) => playable(legal) },
  { name: "trick", letter: "T", answer: (_, view) => trick(view) },
  { name: "lastTrick", letter: "L", answer: (_, view) => lastTrick(view) },
  { name: "calls", letter: "C", answer: (_, view) => calls(view) },
  { name: "scores", letter: "S", answer: (_, view) => scores(view) },
  { name: "round", letter: "R", answer: (_, view) => round(view) },
  { name: "turn", letter: "W", answer: (_, view) => turn(view) },
];

const list = (/** @type {string[]} */ texts) => texts.join(t("shell.comma"));
const listOfLists = (/** @type {string[]} */ texts) => texts.join(t("shell.semicolon"));
const sentence = (/** @type {string[]} */ words) => words.filter((word) => word !== "").join(" ");

/** The player's cards by suits. @param {GameView} view */
function hand({ round, you }) {
  const cards = sorted(round?.hands[you?.seat ?? -1]?.cards ?? []);
  if (cards.length === 0) return t("ears.noHand");
  const suits = new Set(cards.map((card) => parse(card).suit));
  const texts = [...suits].map((suit) => {
    const ones = cards.filter((card) => parse(card).suit === suit);
    if (suit === "J") return list(ones.map(cardName));
    return t("ears.suit", {
      suit: t(`card.suit.${suit}`),
      ranks: list(ones.map((card) => t(`card.${parse(card).rank}`))),
    });
  });
  return t("ears.hand", { suits: listOfLists(texts) });
}

/** @param {Shown["legal"]} legal */
function playable(legal) {
  const cards = legal.flatMap(({ type, card }) => (type === "play" && card ? [card] : []));
  return cards.length > 0 ? t("ears.playable", { cards: list(sorted(cards).map(cardName)) }) : t("ears.notYourTurn");
}

/** @param {GameView} view */
function trick(view) {
  const plays = view.round?.trick?.plays ?? [];
  return plays.length > 0 ? t("ears.trick", { cards: playWords(plays, view) }) : t("ears.noTrick");
}

/** @param {GameView} view */
function lastTrick(view) {
  const last = view.round?.last_trick;
  // Who takes a trick leads the next one.
  const winner = view.round?.trick?.leader ?? -1;
  return last
    ? t("ears.lastTrick", { cards: playWords(last.plays, view), who: namesOf(view)[winner] ?? "" })
    : t("ears.noLastTrick");
}

/** Who said what, and has taken what. @param {GameView} view */
function calls(view) {
  const { round } = view;
  const texts = callersOf(view).flatMap((who, seat) => {
    const call = round?.calls.find((one) => one.seat === seat);
    const said = round?.auction.findLast((one) => one.seat === seat);
    if (!call && !said) return [];
    const taken = round?.phase === "play" ? round.tricks_taken?.[seat] : undefined;
    const words = call ? callWords(call) : sayingWords(said);
    return [t(taken === undefined ? "ears.call" : "ears.callTaken", { who, call: words, taken: taken ?? 0 })];
  });
  return texts.length > 0 ? t("ears.calls", { calls: listOfLists(texts) }) : t("ears.noCalls");
}

/** @param {{ kind: string, tricks: number, with: boolean, risk: boolean }} call */
function callWords({ kind, tricks, with: isWith, risk }) {
  return sentence([
    isDash(kind) ? t(`table.${kind}`) : number(tricks),
    isWith ? t("table.with") : "",
    risk ? t("table.risk") : "",
  ]);
}

/** @param {{ type: string, tricks?: number, trump?: string } | undefined} said */
function sayingWords(said) {
  if (said?.tricks === undefined) return t(`said.${said?.type}`);
  return t("said.bid", { tricks: said.tricks, trump: t(`trump.${said.trump}`) });
}

/** @param {GameView} view */
function scores(view) {
  const points = callersOf(view).map((who, seat) =>
    t("ears.seat", { who, points: number(view.scores.totals[seat] ?? 0) }),
  );
  return t("ears.scores", { points: list(points) });
}

/** @param {GameView} view */
function round(view) {
  const { round: it } = view;
  if (!it || it.number === 0) return t("table.beforeRounds");
  return sentence([
    t("ears.round", { number: it.number, of: it.of }),
    it.multiplier > 1 ? t("ears.times", { times: it.multiplier }) : "",
    it.trump ? t("ears.trump", { trump: t(`trump.${it.trump}`) }) : t("ears.noTrumpYet"),
    it.dealer === null ? "" : t("ears.dealer", { who: namesOf(view)[it.dealer] ?? "" }),
  ]);
}

/** @param {GameView} view */
function turn(view) {
  const seat = acting(view);
  if (seat === undefined) return t("ears.nobody");
  const who = seat === ownSeat(view) ? t("ears.yourTurn") : t("ears.turn", { who: namesOf(view)[seat] ?? "" });
  const deadline = view.round?.deadline;
  return sentence([who, deadline ? t("ears.left", { count: secondsTo(deadline) }) : ""]);
}
