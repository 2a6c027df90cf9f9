// Cards by their names.

import assert from "node:assert/strict";
import { test } from "node:test";

import { parse, sorted } from "../../../web/game/cards.js";

test("a card has a rank and a suit, and a joker is its own rank", () => {
  assert.deepEqual(parse("10H"), { rank: "10", suit: "H" });
  assert.deepEqual(parse("RJ"), { rank: "RJ", suit: "J" });
});

test("a hand is sorted by suits, high cards first, jokers before them", () => {
  assert.deepEqual(sorted(["2C", "AS", "BJ", "KD", "10H", "JH", "RJ"]), ["RJ", "BJ", "AS", "JH", "10H", "2C", "KD"]);
});

test("the trump comes first, after the jokers, and black and red take turns after it", () => {
  const hand = ["2C", "AS", "BJ", "KD", "10H"];
  assert.deepEqual(sorted(hand, "spades"), ["BJ", "AS", "10H", "2C", "KD"]);
  assert.deepEqual(sorted(hand, "hearts"), ["BJ", "10H", "2C", "KD", "AS"]);
  assert.deepEqual(sorted(hand, "clubs"), ["BJ", "2C", "KD", "AS", "10H"]);
  assert.deepEqual(sorted(hand, "diamonds"), ["BJ", "KD", "AS", "10H", "2C"]);
  assert.deepEqual(sorted(hand, "no_trump"), sorted(hand));
});

test("no card changes its place among the others when a suit is played out", () => {
  const hand = ["AS", "KH", "QH", "2C", "KD"];
  for (const trump of [null, "spades", "hearts", "diamonds", "clubs", "no_trump"]) {
    for (const gone of ["S", "H", "D", "C"]) {
      const left = (/** @type {string} */ card) => !card.endsWith(gone);
      assert.deepEqual(sorted(hand.filter(left), trump), sorted(hand, trump).filter(left));
    }
  }
});

test("a hand is not changed by sorting it", () => {
  const hand = Object.freeze(["2C", "AS"]);
  assert.deepEqual(sorted(hand), ["AS", "2C"]);
});
