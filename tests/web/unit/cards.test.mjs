// Cards by their names.

import assert from "node:assert/strict";
import { test } from "node:test";

import { parse, sorted } from "../../../web/game/cards.js";

test("a card has a rank and a suit, and a joker is its own rank", () => {
  assert.deepEqual(parse("10H"), { rank: "10", suit: "H" });
  assert.deepEqual(parse("RJ"), { rank: "RJ", suit: "J" });
});

test("a hand is sorted by suits, high cards first, jokers before them", () => {
  assert.deepEqual(sorted(["2C", "AS", "BJ", "KD", "10H", "JH"]), ["BJ", "AS", "JH", "10H", "2C", "KD"]);
});
