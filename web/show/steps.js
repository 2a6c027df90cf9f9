// What happened, as steps that the table shows one after another.

import { played } from "../game/advance.js";

/** @typedef {"deal" | "say" | "card" | "trick" | "score" | "over"} Kind */

/**
 * @typedef {object} Step
 * @property {Kind | null} kind null changes the view and takes no time
 * @property {Schemas["Event"] | null} event
 * @property {number} seq the last event that the step shows
 * @property {GameView} view the view after the step
 * @property {number} [seat] who deals, says, plays, or takes the trick; a `say` without a seat is about the table
 * @property {string} [card]
 */

/** The events of each kind. @type {[Kind, string[]][]} */
const KINDS = [
  ["deal", ["round_dealt"]],
  [
    "say",
    [
      "avoid_declared",
      "redeal_called",
      "deck_cut",
      "blind_dashed",
      "auction_entered",
      "bid_made",
      "passed",
      "dash_called",
    ],
  ],
  ["say", ["auction_void", "round_folded", "estimate_made", "revoked"]],
  ["card", ["card_played"]],
  ["trick", ["trick_taken"]],
  ["score", ["round_scored"]],
  ["over", ["game_finished", "game_abandoned"]],
];

/** What the calls of an auction are named in the view. @type {Record<string, string>} */
export const AUCTION = {
  blind_dashed: "blind_dash",
  auction_entered: "enter_auction",
  bid_made: "bid",
  passed: "pass",
  dash_called: "dash_call",
};

/** What the events that settle a call make of it. @type {Record<string, string>} */
const CALLS = { estimate_made: "estimate", auction_won: "bid" };

/**
 * The steps from a view to a later one. The events of other kinds belong to the step after them, the last ones to the last step.
 * @param {GameView} before @param {readonly EventEnvelope[]} events the newest ones @param {GameView} after
 * @returns {Step[] | null} null if events are missing or the later view is an earlier state
 */
export function stepsBetween(before, events, after) {
  const news = events.filter(({ seq }) => seq > before.version && seq <= after.version);
  const isComplete = news.every(({ seq }, at) => seq === before.version + 1 + at);
  if (!isComplete || before.version + news.length !== after.version) return null;
  /** @type {Step[]} */
  const steps = [];
  let view = before;
  for (const envelope of news) {
    const { event, seq } = envelope;
    view = viewAfter(view, envelope);
    const [kind] = KINDS.find(([, types]) => types.includes(event.type)) ?? [];
    if (kind) steps.push({ kind, event, seq, view, seat: event.seat ?? event.deal?.dealer, card: event.card });
  }
  const last = steps.pop() ?? { kind: null, event: null };
  return [...steps, { ...last, seq: after.version, view: after }];
}

/**
 * The view when an own card lies on the table before the answer.
 * @param {GameView} view
 * @param {number} seat
 * @param {string} card
 */
export function withOwnCard(view, seat, card) {
  return { ...view, legal: [], round: waiting(played(view.round, { type: "card_played", seat, card })) };
}

/** What only the turn says is as before. @param {GameView} view @param {EventEnvelope} envelope @returns {GameView} */
function viewAfter({ scores, ...view }, { event, seq, hash, at }) {
  const { score } = event;
  const round = view.round || event.deal ? waiting(roundAfter(view.round, event)) : null;
  if (score)
    scores = {
      ...scores,
      totals: score.totals,
      rounds: [...scores.rounds, { round: score.round, points: score.points }],
    };
  return { ...view, version: seq, head: { seq, hash }, updated_at: at, legal: [], round, scores };
}

/** Nobody is asked to act. @param {any} round */
const waiting = (round) => ({ ...round, to_act: null, deadline: undefined });

/** @param {any} round @param {Schemas["Event"]} event */
function roundAfter(round, event) {
  const { type, seat, tricks, trump, deal } = event;
  if (deal) return dealt(round, deal);
  if (AUCTION[type]) round = { ...round, auction: [...round.auction, { seat, type: AUCTION[type], tricks, trump }] };
  const kind = CALLS[type];
  if (kind) round = { ...round, calls: [...round.calls, { seat, kind, tricks, with: false, risk: false }] };
  if (trump && type !== "bid_made") round = { ...round, trump };
  if (type === "card_played" && !round.trick) round = { ...round, phase: "play", trick: { leader: seat, plays: [] } };
  return played(round, event);
}

/** @param {any} round @param {Schemas["Deal"]} deal */
function dealt(
  round,
  { round: number, attempt, kind, hand_size, dealer, first_speaker, carry, hands, indicator, trump },
) {
  return {
    ...round,
    number,
    attempt,
    kind,
    hand_size,
    dealer,
    first_speaker,
    carry,
    hands,
    indicator,
    trump,
    phase: kind === "auction" ? "auction" : "estimates",
    multiplier: carry,
    avoided: [],
    auction: [],
    calls: [],
    trick: null,
    last_trick: null,
    tricks_taken: round?.tricks_taken?.map(() => 0) ?? null,
  };
}
