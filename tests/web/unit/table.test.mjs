// What the table says about calls and seats.

import assert from "node:assert/strict";
import { test } from "node:test";

import { acting, around } from "../../../web/game/seats.js";
import { loadLanguage } from "../../../web/i18n/index.js";
import { titleOf } from "../../../web/table/calls.js";
import { chanceOf, standingOf } from "../../../web/table/token.js";

await loadLanguage();

test("the next player sits on the left in clockwise play, and on the right otherwise", () => {
  const seats = [0, 1, 2, 3].map(() => ({ player: null, stand_in: false, connected: true }));
  assert.deepEqual(around({ seats, direction: "clockwise" }, 1), [2, 3, 0]);
  assert.deepEqual(around({ seats, direction: "counterclockwise" }, 1), [0, 3, 2]);
});

test("who must act has a seat or a place", () => {
  assert.equal(acting({ round: { to_act: { seat: 2 } } }), 2);
  assert.equal(acting({ round: { to_act: { place: 3 } } }), 3);
  assert.equal(acting({ round: null }), undefined);
});

test("a call is lost with one trick too many, or with too few tricks left", () => {
  assert.equal(chanceOf(3, 1, 4), "open");
  assert.equal(chanceOf(3, 1, 2), "open");
  assert.equal(chanceOf(3, 1, 1), "lost");
  assert.equal(chanceOf(3, 3, 4), "met");
  assert.equal(chanceOf(3, 4, 4), "lost");
  assert.equal(chanceOf(0, 0, 9), "open");
  assert.equal(chanceOf(0, 0, 0), "met");
});

test("a bid must be higher only where no lower one is legal", () => {
  const round = { phase: "auction", auction: [{ type: "bid", seat: 0, tricks: 4, trump: "hearts" }] };
  const bid = (tricks, trump) => ({ type: "bid", tricks, trump });
  assert.match(titleOf({ round }, [bid(4, "spades"), bid(5, "clubs")]), /4/);
  assert.doesNotMatch(titleOf({ round }, [bid(4, "clubs"), bid(5, "clubs")]), /4/);
  assert.doesNotMatch(titleOf({ round }, [bid(4, "hearts")]), /4/);
});

test("concealed tricks are neither shown nor counted", () => {
  const call = { seat: 0, tricks: 2, kind: "estimate", with: false, risk: false };
  const round = { phase: "play", calls: [call], hand_size: 5, tricks_taken: [1, 0, 1, 0] };
  assert.deepEqual(standingOf({ round }, 0), { call, taken: 1, chance: "open" });
  assert.deepEqual(standingOf({ round: { ...round, tricks_taken: null } }, 0), { call, taken: null, chance: "open" });
  assert.equal(standingOf({ round }, 1), null);
});
