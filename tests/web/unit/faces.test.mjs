// The signs on the cards.

import assert from "node:assert/strict";
import { test } from "node:test";

import { figure } from "../../../web/cards/courts.js";
import { pip, pips, strokes } from "../../../web/cards/pips.js";

const NUMBERS = ["2", "3", "4", "5", "6", "7", "8", "9", "10"];
const SUITS = ["S", "H", "D", "C"];

/** Where the pips of a face begin. @param {string} path */
const places = (path) => [...path.matchAll(/M([\d.]+) ([\d.]+)m/g)].map(([, x, y]) => [Number(x), Number(y)]);

test("a number has as many pips as it says, and looks the same from both sides but for the pips in the middle row", () => {
  for (const suit of SUITS) {
    for (const rank of NUMBERS) {
      const found = places(pips(suit, rank));
      assert.equal(found.length, Number(rank), rank + suit);
      assert.equal(new Set(found.map(String)).size, found.length, rank + suit);
      const opposite = ([x, y]) => found.some(([otherX, otherY]) => Math.abs(otherX + x - 100) < 0.01 && Math.abs(otherY + y - 140) < 0.01);
      if (rank !== "7") assert.ok(found.every(opposite), rank + suit);
    }
  }
});

test("pips below the middle are turned over", () => {
  assert.equal(pip("D", 50, 26, 20), "M50 26m0 -10.5c1.9 3.7 4.9 7.3 8 10.5c-3.1 3.2 -6.1 6.8 -8 10.5c-1.9 -3.7 -4.9 -7.3 -8 -10.5c3.1 -3.2 6.1 -6.8 8 -10.5z");
  assert.ok(pips("S", "2").endsWith(pip("S", 50, 114, -19)));
  assert.ok(pip("S", 50, 114, -20).startsWith("M50 114m0 10"));
});

test("each rank has strokes, and each court and joker a figure of its own", () => {
  for (const rank of [...NUMBERS, "J", "Q", "K", "A"]) assert.ok(strokes(rank), rank);
  const figures = [...["J", "Q", "K"].flatMap((rank) => SUITS.map((suit) => figure(rank, suit))), figure("RJ", "J")];
  assert.equal(new Set(figures.map((shapes) => JSON.stringify(shapes))).size, 13);
  for (const [paint, path] of figures.flat()) assert.match(path, /^M[^a-zA-Z]*[\d.]/, paint);
});
