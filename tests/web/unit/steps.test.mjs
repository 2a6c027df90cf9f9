// The steps from one view to a later one.

import assert from "node:assert/strict";
import { test } from "node:test";

import { stepsBetween, withOwnCard } from "../../../web/show/steps.js";
import { card, envelopes, firstView, ROUND, SCORED, taken } from "./round.mjs";

const later = (version, changes = {}) => firstView({ version, head: { seq: version, hash: `h${version}` }, ...changes });

test("each card, trick, score and deal is a step, with the view after it", () => {
  const steps = stepsBetween(firstView(), envelopes(ROUND), later(20));
  assert.deepEqual(steps.map(({ kind }) => kind), ["card", "card", "card", "trick", "card", "card", "card", "trick", "score", "deal"]);
  assert.deepEqual(steps.map(({ seq }) => seq), [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  assert.deepEqual(steps.map(({ view }) => view.version), steps.map(({ seq }) => seq));
  assert.deepEqual(steps[2].view.round.trick.plays.map((play) => play.card), ["AS", "KS", "QS"]);
  assert.deepEqual([steps[3].view.round.trick.plays, steps[3].view.round.tricks_taken, steps[3].seat], [[], [1, 0, 0], 0]);
  assert.deepEqual(steps[0].view.round.hands.map(({ count }) => count), [1, 2, 2]);
  assert.deepEqual(steps[0].view.round.hands[0].cards, ["2H"]);
});

test("what only the turn says comes with the last step", () => {
  const after = later(12, { legal: [{ type: "play", card: "2H" }] });
  const [first, last] = stepsBetween(firstView(), envelopes([card(0, "AS"), card(1, "KS")]), after);
  assert.deepEqual([first.view.legal, first.view.round.to_act], [[], null]);
  assert.equal(last.view, after);
});

test("the totals change with the score, and the cards of the old round are gone before the next deal", () => {
  const steps = stepsBetween(firstView(), envelopes(ROUND), later(20));
  assert.deepEqual(steps.slice(7, 9).map(({ view }) => view.scores.totals), [[0, 0, 0], SCORED.score.totals]);
  assert.deepEqual([steps[8].view.round.number, steps[8].view.round.hands.map(({ count }) => count)], [1, [0, 0, 0]]);
});

test("calls of several commands are in the views between", () => {
  const auction = [
    { type: "bid_made", seat: 1, tricks: 5, trump: "spades" },
    { type: "passed", seat: 2 },
    { type: "auction_won", seat: 1, tricks: 5, trump: "spades" },
    { type: "estimate_made", seat: 2, tricks: 3 },
    { type: "play_began", seat: 1 },
    card(1, "KS"),
    card(2, "QS"),
  ];
  const before = firstView({ round: { ...firstView().round, phase: "auction", trump: null, calls: [], trick: null } });
  const steps = stepsBetween(before, envelopes(auction), later(17));
  assert.deepEqual(steps.map(({ kind }) => kind), ["say", "say", "say", "card", "card"]);
  assert.deepEqual(steps[1].view.round.auction.map(({ type }) => type), ["bid", "pass"]);
  assert.deepEqual([steps[1].view.round.trump, steps[2].view.round.trump], [null, "spades"]);
  assert.deepEqual(steps[2].view.round.calls.map(({ seat, kind, tricks }) => [seat, kind, tricks]), [[1, "bid", 5], [2, "estimate", 3]]);
  assert.deepEqual(steps[3].view.round.trick, { leader: 1, plays: [{ seat: 1, card: "KS" }] });
});

test("a later round is dealt into an empty table", () => {
  const steps = stepsBetween(firstView(), envelopes([...ROUND, card(1, "6C")]), later(21));
  const { round } = steps[9].view;
  assert.deepEqual([round.number, round.dealer, round.trump, round.calls, round.trick], [2, 0, "clubs", [], null]);
  assert.deepEqual([round.hands[0].cards, round.tricks_taken], [["9D"], [0, 0, 0]]);
});

test("events that are not shown belong to the step after them, or to the last one", () => {
  const events = [{ type: "turn_timed_out", seat: 0 }, card(0, "AS"), { type: "stand_in_began", seat: 0 }];
  const steps = stepsBetween(firstView(), envelopes(events), later(13));
  assert.deepEqual(steps.map(({ kind, seq }) => [kind, seq]), [["card", 13]]);
});

test("a view without events is one step that takes no time", () => {
  assert.deepEqual(stepsBetween(firstView(), [], later(10)).map(({ kind }) => kind), [null]);
});

test("there are no steps if events are missing, or if the view is an earlier one", () => {
  const events = envelopes([card(0, "AS"), card(1, "KS"), taken(0)]);
  assert.equal(stepsBetween(firstView(), events.slice(1), later(13)), null);
  assert.equal(stepsBetween(firstView(), events.slice(0, 2), later(13)), null);
  assert.equal(stepsBetween(later(13), events, firstView()), null);
});

test("the own card lies on the table and leaves the hand", () => {
  const { round, legal } = withOwnCard(firstView({ legal: [{ type: "play", card: "AS" }] }), 0, "AS");
  assert.deepEqual([round.trick.plays, round.hands[0].cards, legal], [[{ seat: 0, card: "AS" }], ["2H"], []]);
});
