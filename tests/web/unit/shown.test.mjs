// The view that the table draws, from a game that changes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Shown } from "../../../web/show/shown.js";
import { Source } from "../../../web/source.js";
import { Clock } from "./clock.mjs";
import { card, DEALT, envelopes, firstView, ROUND, taken } from "./round.mjs";

const PLAYS = [{ type: "play", card: "AS" }, { type: "play", card: "2H" }];

/** What `Shown` reads of a game. */
class Game extends Source {
  view = firstView({ legal: PLAYS });
  events = [];
  pending = null;

  /** Events and the turn after them. */
  happen(events, changes = {}, at = new Date()) {
    const news = envelopes(events, this.view.version + 1).map((one) => ({ ...one, at: at.toISOString() }));
    this.events = [...this.events, ...news];
    const version = this.view.version + events.length;
    this.pending = null;
    this.view = firstView({ ...this.view, legal: [], version, head: { seq: version, hash: `h${version}` }, ...changes });
    this.changed();
  }

  send(command) {
    this.pending = command;
    this.changed();
  }
}

function newTable() {
  const [game, clock] = [new Game(), new Clock()];
  const pace = { speed: "normal", isReduced: false, isHidden: false };
  const shown = new Shown(game, clock, () => pace);
  shown.follow();
  return { game, clock, pace, shown };
}

const lying = ({ view }) => view.round.trick.plays.map((play) => play.card);

test("a loaded game is shown at once, with what the player may do", () => {
  const { shown } = newTable();
  assert.deepEqual([shown.view.version, shown.step, shown.legal], [10, null, PLAYS]);
});

test("what the player may do is not offered until the table shows the present", () => {
  const { game, clock, shown } = newTable();
  game.happen([card(0, "AS"), card(1, "KS"), card(2, "QS"), taken(0)], { legal: PLAYS.slice(1) });
  clock.move(3 * 350 + 1_500 - 1);
  const before = shown.legal;
  clock.move(1);
  assert.deepEqual([before, shown.legal], [[], PLAYS.slice(1)]);
});

test("nobody is told of a turn before what led to it is shown", () => {
  const { game, shown } = newTable();
  game.happen([card(0, "AS")]);
  const offered = [];
  shown.subscribe(() => offered.push(shown.legal.length));
  game.happen([card(1, "KS"), card(2, "QS"), taken(0)], { legal: PLAYS.slice(1) });
  assert.deepEqual([...new Set(offered)], [0]);
});

test("a call is not offered before all cards are dealt", () => {
  const { game, clock, shown } = newTable();
  game.happen([DEALT], { legal: [{ type: "estimate", tricks: 1 }] });
  clock.move(600 - 1);
  const before = [shown.step.kind, shown.legal.length];
  clock.move(1);
  assert.deepEqual([before, shown.legal.length], [["deal", 0], 1]);
});

test("the own card lies on the table before the answer, and is not played twice", () => {
  const { game, clock, shown } = newTable();
  game.send(PLAYS[0]);
  assert.deepEqual([lying(shown), shown.step.kind, shown.step.card, shown.legal], [["AS"], "card", "AS", []]);
  assert.deepEqual(shown.view.round.hands[0].cards, ["2H"]);
  clock.move(50);
  const kinds = [];
  shown.subscribe(() => shown.step && kinds.push(`${shown.step.kind} ${shown.step.card ?? ""}`));
  game.happen([card(0, "AS"), card(1, "KS")]);
  clock.move(349);
  assert.deepEqual([...new Set(kinds)], ["card AS", "card KS"]);
  assert.equal(shown.view.version, 12);
});

test("the own card interrupts what still moves", () => {
  const { game, shown } = newTable();
  game.happen([card(0, "AS")], { legal: PLAYS.slice(1) });
  assert.deepEqual([shown.step.card, shown.legal.length], ["AS", 1]);
  game.send(PLAYS[1]);
  assert.equal(shown.step.card, "2H");
});

test("a refused card is back in the hand", () => {
  const { game, shown } = newTable();
  game.send(PLAYS[0]);
  game.pending = null;
  game.changed();
  assert.deepEqual([lying(shown), shown.view.round.hands[0].cards, shown.legal], [[], ["AS", "2H"], PLAYS]);
});

test("a refused card is back when others were faster", () => {
  const { game, clock, shown } = newTable();
  game.send(PLAYS[0]);
  game.happen([{ type: "stand_in_began", seat: 1 }], { legal: PLAYS });
  clock.move(1_000);
  assert.deepEqual([lying(shown), shown.legal], [[], PLAYS]);
});

test("a view whose events are missing is shown at once", () => {
  const { game, shown } = newTable();
  game.happen([card(0, "AS"), card(1, "KS")]);
  game.events = [];
  game.happen([card(2, "QS"), taken(0)]);
  const { version } = game.view;
  game.view = firstView({ version: version + 30 });
  game.changed();
  assert.deepEqual([shown.view.version, shown.step], [version + 30, null]);
});

test("an earlier state of the server is shown at once", () => {
  const { game, shown } = newTable();
  game.happen(ROUND);
  game.view = firstView({ version: 5 });
  game.changed();
  assert.deepEqual([shown.view.version, shown.step, shown.round], [5, null, null]);
});

test("a page that was hidden shows the present", () => {
  const { game, pace, clock, shown } = newTable();
  pace.isHidden = true;
  game.happen(ROUND.slice(0, 7));
  assert.deepEqual([shown.view.version, shown.step, clock.timers.size], [17, null, 0]);
});

test("a page that comes back to a connection shows the present, and the result of the last round", () => {
  const { game, shown } = newTable();
  game.happen(ROUND, {}, new Date(Date.now() - 20_000));
  assert.deepEqual([shown.view.version, shown.step, shown.round.score.round], [20, null, 1]);
  const other = newTable();
  other.game.happen(ROUND, {}, new Date(Date.now() - 5_000));
  assert.equal(other.shown.step.kind, "card");
});

test("the result of a round waits for the player, unless the player must act", () => {
  const idle = newTable();
  idle.game.happen(ROUND);
  idle.clock.move(60_000);
  assert.deepEqual([idle.shown.round.score.points, idle.shown.isStrip, idle.shown.view.version], [[12, 10, -3], false, 19]);
  idle.shown.continue();
  idle.clock.move(1_000);
  assert.equal(idle.shown.view.version, 20);

  const due = newTable();
  due.game.happen(ROUND, { legal: [{ type: "estimate", tricks: 1 }] });
  due.clock.move(3_000);
  assert.deepEqual([due.shown.isStrip, due.shown.legal.length], [true, 1]);
  due.game.send(due.game.view.legal[0]);
  assert.equal(due.shown.round, null);
});

test("each turn of the player has its own 3 s, also if the clock acted in the one before", () => {
  const { game, clock, shown } = newTable();
  clock.move(60_000);
  game.happen([card(0, "AS"), card(1, "KS"), card(2, "QS"), taken(0)], { legal: PLAYS.slice(1) });
  clock.move(1_000);
  assert.equal(shown.step.seq, 13);
  clock.move(2_000);
  assert.equal(shown.legal.length, 1);
});
