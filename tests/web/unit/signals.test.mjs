// What a table says in the title of its tab.

import assert from "node:assert/strict";
import { before, test } from "node:test";

import { loadArea, loadLanguage } from "../../../web/i18n/index.js";
import { signalOf } from "../../../web/signals/index.js";

before(async () => {
  globalThis.document ??= { documentElement: {} };
  await loadLanguage();
  await loadArea("table");
});

const player = (name) => ({ player: { name, kind: "human" }, connected: true, stand_in: false });

/** A view of a game of three, whose turn is that of `turn`. */
const view = (turn, changes = {}) => ({
  status: "playing",
  version: 7,
  ruleset: { title: "Plain" },
  seats: [player("Noor"), player("Omar"), player("لينا")],
  you: { seat: 0 },
  round: { to_act: turn === null ? null : { seat: turn } },
  fairness: {},
  ...changes,
});

test("the title says the game and whose turn it is", () => {
  const { kind, title, call } = signalOf(view(0));
  assert.deepEqual([kind, title, call], ["yours", "● Your turn · Plain", "The table waits for you: Plain."]);
  // The name of another direction does not turn the title around.
  assert.deepEqual([signalOf(view(2)).kind, signalOf(view(2)).title], ["other", "\u2068لينا\u2069’s turn · Plain"]);
});

test("those who watch are never called", () => {
  assert.equal(signalOf(view(0, { you: null })).kind, "other");
});

test("before the seats are settled, the places count", () => {
  const choosing = view(null, { you: { place: 1 }, round: { to_act: { place: 1 } } });
  assert.equal(signalOf(choosing).kind, "yours");
});

test("nobody's turn, the lobby and the end are no call", () => {
  assert.deepEqual([signalOf(view(null)).kind, signalOf(view(null)).title], ["other", "Plain"]);
  const seats = [player("Noor"), { player: null }, { player: null }];
  const lobby = signalOf(view(null, { status: "lobby", round: null, seats }));
  assert.deepEqual([lobby.kind, lobby.title], ["lobby", "Plain: 1 of 3 seats taken"]);
  const begins = signalOf(view(null, { status: "lobby", round: null, fairness: { opening_until: "2026-01-01T00:00:00.000Z" } }));
  assert.equal(begins.title, "Plain begins");
  for (const status of ["finished", "abandoned"]) {
    assert.deepEqual([signalOf(view(0, { status })).kind, signalOf(view(0, { status })).title], ["over", "Plain: the game is over"]);
  }
});

test("each turn of the player is another one, and the same turn stays the same", () => {
  assert.equal(signalOf(view(0)).turn, signalOf(view(0)).turn);
  assert.notEqual(signalOf(view(0)).turn, signalOf(view(0, { version: 8 })).turn);
  assert.notEqual(signalOf(view(0)).turn, signalOf(view(1)).turn);
});
