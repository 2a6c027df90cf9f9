// Questions about the table that keys ask, and their answers in words.

import { now } from "../api/client.js";
import { cardName, parse, sorted } from "../game/cards.js";
import { number, t } from "../i18n/index.js";
import { namesOf, ownSeat } from "./names.js";
import { callersOf, playWords } from "./narrator.js";

/** @typedef {import("../show/shown.js").Shown} Shown */
/** @typedef {import("../game/store.js").GameView} GameView */
/** @typedef {{ name: string, code: string, letter: string, answer: (shown: Shown, view: GameView) => string }} Question */

const list = (/** @type {string[]} */ texts) => texts.join(t("shell.comma"));
const listOfLists = (/** @type {string[]} */ texts) => texts.join(t("shell.semicolon"));

/** The questions: `code` is the place of the key, the same on every keyboard. @type {Question[]} */
export const QUESTIONS = [
  { name: "hand", code: "KeyH", letter: "H", answer: (_, view) => hand(view) },
  { name: "playable", code: "KeyP", letter: "P", answer: ({ legal }) => playable(legal) },
  { name: "trick", code: "KeyT", letter: "T", answer: (_, view) => trick(view) },
  { name: "lastTrick", code: "KeyL", letter: "L", answer: (_, view) => lastTrick(view) },
  { name: "calls", code: "KeyC", letter: "C", answer: (_, view) => calls(view) },
  { name: "scores", code: "KeyS", letter: "S", answer: (_, view) => scores(view) },
  { name: "round", code: "KeyR", letter: "R", answer: (_, view) => round(view) },
  { name: "turn", code: "KeyW", letter: "W", answer: (_, view) => turn(view) },
];

/** The player's cards by suits. @param {GameView} view */
function hand({ round, you }) {
  const cards = round?.hands[you?.seat ?? -1]?.cards ?? [];
  if (cards.length === 0) return t("ears.noHand");
  const order = sorted(cards);
  const suits = [...new Set(order.map((card) => parse(card).suit))];
  const texts = suits.map((suit) => {
    const ones = order.filter((card) => parse(card).suit === suit);
    if (suit === "J") return list(ones.map(cardName));
    return t("ears.suit", { suit: t(`card.suit.${suit}`), ranks: list(ones.map((card) => t(`card.${parse(card).rank}`))) });
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
  if (!last) return t("ears.noLastTrick");
  // Who takes a trick leads the next one.
  const winner = view.round?.trick?.leader ?? -1;
  return t("ears.lastTrick", { cards: playWords(last.plays, view), who: namesOf(view)[winner] ?? "" });
}

/** Who said what, and has taken what. @param {GameView} view */
function calls(view) {
  const { round } = view;
  const who = callersOf(view);
  const texts = who.flatMap((name, seat) => {
    const call = round?.calls.find((one) => one.seat === seat);
    const said = round?.auction.findLast((one) => one.seat === seat);
    if (!call && !said) return [];
    const words = call ? callWords(call) : sayingWords(said);
    const taken = round?.tricks_taken?.[seat];
    const isPlay = round?.phase === "play" && taken !== undefined;
    return [t(isPlay ? "ears.callTaken" : "ears.call", { who: name, call: words, taken: taken ?? 0 })];
  });
  return texts.length > 0 ? t("ears.calls", { calls: listOfLists(texts) }) : t("ears.noCalls");
}

/** @param {{ kind: string, tricks: number, with: boolean, risk: boolean }} call */
function callWords({ kind, tricks, with: isWith, risk }) {
  const isDash = kind === "dash_call" || kind === "blind_dash";
  const marks = [isWith ? t("table.with") : "", risk ? t("table.risk") : ""].filter((mark) => mark !== "");
  return [isDash ? t(`table.${kind}`) : number(tricks), ...marks].join(" ");
}

/** @param {{ type: string, tricks?: number, trump?: string } | undefined} said */
function sayingWords(said) {
  if (said?.tricks === undefined) return t(`said.${said?.type}`);
  return t("said.bid", { tricks: said.tricks, trump: t(`trump.${said.trump}`) });
}

/** @param {GameView} view */
function scores(view) {
  const who = callersOf(view);
  const points = view.scores.totals.map((total, seat) => t("ears.seat", { who: who[seat] ?? "", points: number(total) }));
  return t("ears.scores", { points: list(points) });
}

/** @param {GameView} view */
function round(view) {
  const { round: it } = view;
  if (!it || it.number === 0) return t("table.beforeRounds");
  const texts = [
    t("ears.round", { number: it.number, of: it.of }),
    it.multiplier > 1 ? t("ears.times", { times: it.multiplier }) : "",
    it.trump ? t("ears.trump", { trump: t(`trump.${it.trump}`) }) : t("ears.noTrumpYet"),
    it.dealer === null ? "" : t("ears.dealer", { who: namesOf(view)[it.dealer] ?? "" }),
  ];
  return texts.filter((text) => text !== "").join(" ");
}

/** @param {GameView} view */
function turn(view) {
  const seat = view.round?.to_act?.seat ?? view.round?.to_act?.place;
  if (seat === undefined) return t("ears.nobody");
  const who = seat === ownSeat(view) ? t("ears.yourTurn") : t("ears.turn", { who: namesOf(view)[seat] ?? "" });
  const left = view.round?.deadline ? Math.max(0, Math.ceil((Date.parse(view.round.deadline) - now()) / 1000)) : null;
  return left === null ? who : `${who} ${t("ears.left", { count: left })}`;
}
