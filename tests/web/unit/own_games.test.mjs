// The list of one's own games.

import assert from "node:assert/strict";
import { before, test } from "node:test";

import { loadArea, loadLanguage } from "../../../web/i18n/index.js";
import { ordered, turnOf } from "../../../web/parts/own_games.js";

before(async () => {
  globalThis.document ??= { documentElement: {} };
  await loadLanguage();
  await loadArea("shell");
});

const seats = ["Noor", "Omar", "Lina"].map((name, seat) => ({ seat, name }));
const game = (id, status, awaited = [], your_turn = false) => ({ id, status, own: { seats, awaited, your_turn } });

test("the games that wait for the player come first, the newest of each kind before the others", () => {
  const games = [game("over", "finished"), game("lobby", "lobby"), game("other", "playing", [{ seat: 1 }]),
    game("mine", "playing", [{ seat: 0 }], true), game("other 2", "playing", [{ seat: 2 }]), game("opening", "lobby", [{ place: 0 }], true)];
  assert.deepEqual(ordered(games).map(({ id }) => id), ["mine", "opening", "other", "other 2", "lobby", "over"]);
});

test("of the games that are over, only the last ones are listed", () => {
  const games = [..."12345"].map((id) => game(id, id === "3" ? "playing" : "abandoned"));
  assert.deepEqual(ordered(games).map(({ id }) => id), ["3", "1", "2", "4"]);
});

test("a game says whose turn it is", () => {
  assert.equal(turnOf(game("1", "playing", [{ seat: 0 }], true)), "Your turn");
  assert.equal(turnOf(game("1", "playing", [{ seat: 2 }])), "\u2068Lina\u2069’s turn");
  assert.equal(turnOf(game("1", "lobby", [{ place: 0 }, { place: 1 }])), "\u2068Noor\u2069, \u2068Omar\u2069’s turn");
  assert.equal(turnOf(game("1", "finished")), "");
});
