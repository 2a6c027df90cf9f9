// The words of the result of a round, and the best and worst call of a game.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isAgainstBots } from "../../../web/game/tables.js";
import { loadLanguage } from "../../../web/i18n/index.js";
import { ownCalls } from "../../../web/table/podium.js";
import { linesOf, nextWords } from "../../../web/table/round_sheet.js";
import { DEALT, firstView, SCORED } from "./round.mjs";

await loadLanguage();

const plain = (text) => text.replace(/[\u2068\u2069]/g, "");
const { score } = SCORED;
const lineWords = (...values) => linesOf(...values).map(({ text }) => text).join(" · ");

test("the lines of a score have their reasons, points and factors", () => {
  assert.equal(lineWords(score, 0), "Call made +10 · Tricks +2");
  const lines = [[{ reason: "difference", points: -2 }, { reason: "multiplier", factor: 2 }]];
  assert.equal(lineWords({ ...score, lines }, 0), "Difference -2 · Multiplier × 2");
});

test("a missed call says by how many tricks", () => {
  assert.equal(lineWords({ ...score, tricks: [1, 0, 0] }, 0), "1 too few · Call made +10 · Tricks +2");
  assert.equal(lineWords({ ...score, tricks: [2, 3, 0] }, 1), "3 too many · Call made +10");
  assert.equal(lineWords({ ...score, calls: [] }, 1), "Call made +10");
});

test("what comes next is the dealer, the cards and the multiplier", () => {
  const { round: number, dealer, hand_size } = DEALT.deal;
  const next = (changes = {}) => firstView({ round: { ...firstView().round, number, dealer, hand_size, ...changes } });
  assert.equal(plain(nextWords(score, next())), "Next: you deal. Cards in each hand: 1. The next round counts × 2.");
  assert.equal(plain(nextWords({ ...score, next_carry: 1 }, next({ dealer: 1 }))), "Next: Nadia deals. Cards in each hand: 1.");
  assert.equal(nextWords(score, firstView({ status: "finished", round: null })), "That was the last round.");
});

test("the best and the worst call are those with most and least points", () => {
  const cell = (call, tricks, points) => ({ call: call === null ? null : { tricks: call }, tricks, points });
  const rounds = [[2, 2, 12], [3, 1, -8], [null, 0, 90], [0, 0, 10]].map((values, at) => ({ round: at + 1, seats: [cell(...values)] }));
  assert.deepEqual(ownCalls({ rounds }, 0), {
    best: { round: 1, call: 2, tricks: 2, points: 12 },
    worst: { round: 2, call: 3, tricks: 1, points: -8 },
  });
  assert.equal(ownCalls({ rounds: rounds.slice(0, 1) }, 0), null);
});

test("a game is against bots if one person sits at the table", () => {
  const people = firstView();
  people.seats[1].player.kind = "human";
  assert.deepEqual([isAgainstBots(firstView()), isAgainstBots(people)], [true, false]);
});
