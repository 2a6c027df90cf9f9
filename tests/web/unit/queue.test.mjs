// What is shown, and how long, with a clock that the test moves.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Queue } from "../../../web/show/queue.js";
import { Clock } from "./clock.mjs";

/** A queue, its clock, and its pace, which a test may change. */
function newQueue(changes = {}) {
  const clock = new Clock();
  const pace = { speed: "normal", isReduced: false, isHidden: false, ...changes };
  return { clock, pace, queue: new Queue(clock, () => pace) };
}

/** Steps of the kinds, numbered from `first`. */
function film(kinds, first = 1) {
  return kinds.map((kind, at) => {
    const event = kind === "score" ? { score: { round: 1 } } : null;
    return { kind, event, seq: first + at, view: { version: first + at } };
  });
}

/** What is shown from now on, each with the time at which it begins. */
function shownBy({ queue, clock }, ms = 60_000) {
  const seen = [];
  let last;
  const note = () => {
    const { step, isSweeping } = queue;
    const now = step && `${step.seq} ${step.kind}${isSweeping ? " swept" : ""}`;
    if (now && now !== last) seen.push(`${now} @${Math.round(clock.time)}`);
    last = now;
  };
  note();
  const leave = queue.subscribe(note);
  clock.move(ms);
  leave();
  return seen;
}

/** How long each trick lay complete, from its last card on. */
const standing = (seen) => seen.flatMap((line, at) => (line.includes("swept") ? [timeOf(line) - timeOf(seen[at - 1])] : []));
const timeOf = (line) => Number(line.split("@")[1]);

test("one step follows another, and a trick lies before it is swept", () => {
  const all = newQueue();
  all.queue.push(film(["deal", "say", "card", "trick"]));
  assert.deepEqual(shownBy(all), ["1 deal @0", "2 say @600", "3 card @1100", "4 trick @1450", "4 trick swept @2650"]);
  assert.equal(all.queue.view.version, 4);
  assert.equal(all.queue.step, null);
  assert.ok(all.queue.isPresent);
});

test("a complete trick is drawn until it was swept", () => {
  const { queue, clock } = newQueue();
  queue.push(film(["card", "trick"]));
  clock.move(350 + 1200 + 299);
  assert.deepEqual([queue.view.version, queue.seq, queue.isPresent], [1, 2, false]);
  clock.move(1);
  assert.deepEqual([queue.view.version, queue.isPresent], [2, true]);
});

test("slow takes longer, fast takes half, and a fast trick still lies for 0.6 s", () => {
  const slow = newQueue({ speed: "slow" });
  slow.queue.push(film(["card", "trick", "card"]));
  assert.deepEqual(shownBy(slow), ["1 card @0", "2 trick @560", "2 trick swept @2480", "3 card @2960"]);
  const fast = newQueue({ speed: "fast" });
  fast.queue.push(film(["card", "trick", "card"]));
  assert.deepEqual(shownBy(fast), ["1 card @0", "2 trick @175", "2 trick swept @775", "3 card @925"]);
});

test("with reduced motion everything comes in its turn and nothing travels", () => {
  const all = newQueue({ isReduced: true });
  all.queue.push(film(["say", "deal", "card", "trick", "card"]));
  assert.deepEqual(shownBy(all), ["1 say @0", "2 deal @500", "3 card @500", "4 trick @850", "4 trick swept @2050", "5 card @2050"]);
});

test("when the player must act, all that waits is shown in 3 s, and each trick lies for 1 s", () => {
  for (const speed of ["slow", "normal"]) {
    const all = newQueue({ speed });
    all.queue.expect(true);
    all.queue.push(film(["card", "card", "card", "trick", "score", "deal", "say", "say", "say", "say", "say", "say"]));
    const seen = shownBy(all, 3_000);
    assert.ok(all.queue.isPresent);
    assert.equal(seen.length, 13);
    assert.ok(standing(seen).every((ms) => ms >= 1_000), seen.join());
  }
});

test("the 3 s begin when the player must act, also while something else moves", () => {
  const { queue, clock } = newQueue();
  queue.push(film(["trick"]));
  clock.move(1_000);
  queue.expect(true);
  queue.push(film(["deal", "say", "say", "say", "say", "say", "say", "say"], 2));
  clock.move(2_999);
  const isPresent = queue.isPresent;
  clock.move(1);
  assert.deepEqual([isPresent, queue.isPresent], [true, true]);
});

test("several complete tricks are all drawn in 3 s", () => {
  const all = newQueue();
  all.queue.expect(true);
  all.queue.push(film(["card", "trick", "card", "trick", "card", "trick", "card", "trick"]));
  const seen = shownBy(all, 3_000);
  assert.equal(standing(seen).length, 4);
  assert.ok(standing(seen).every((ms) => ms > 500), seen.join());
  assert.ok(all.queue.isPresent);
});

test("what the others do never makes more than 8 s of film", () => {
  const all = newQueue({ speed: "slow" });
  all.queue.push(film(Array(40).fill("say")));
  shownBy(all, 8_000);
  assert.ok(all.queue.isPresent);
});

test("a burst of many tricks shows the present state", () => {
  const { queue, clock } = newQueue();
  queue.push(film(Array(7).fill(["card", "trick"]).flat()));
  assert.deepEqual([queue.view.version, queue.step, clock.timers.size], [14, null, 0]);
});

test("a hurried queue shows all that waits at once", () => {
  const { queue, clock } = newQueue();
  queue.push(film(["card", "card", "trick", "card"]));
  queue.hurry();
  assert.deepEqual([queue.view.version, queue.isPresent, clock.timers.size], [4, true, 0]);
});

test("a hidden page shows the present state", () => {
  const { queue, pace } = newQueue();
  queue.push(film(["card", "card"]));
  pace.isHidden = true;
  queue.push(film(["card", "trick"], 3));
  assert.deepEqual([queue.view.version, queue.isPresent], [4, true]);
});

test("the result of a round stays until one continues, and holds what comes after it", () => {
  const { queue, clock } = newQueue();
  queue.push(film(["card", "trick", "score", "deal", "say"]));
  clock.move(600_000);
  assert.deepEqual([queue.round.view.version, queue.isStrip, queue.isPresent], [3, false, false]);
  queue.hurry();
  assert.equal(queue.view.version, 3);
  queue.continue();
  assert.equal(queue.round, null);
  assert.equal(queue.step.kind, "deal");
  clock.move(1_100);
  assert.equal(queue.view.version, 5);
});

test("the result of a round is a strip once the player must act and has seen it, and goes with the next card", () => {
  const { queue, clock } = newQueue();
  queue.push(film(["score", "deal", "say"]));
  clock.move(1_000);
  queue.expect(true);
  clock.move(499);
  assert.deepEqual([queue.isStrip, queue.step.kind], [false, "score"]);
  clock.move(1);
  assert.deepEqual([queue.isStrip, queue.step.kind], [true, "deal"]);
  clock.move(3_000);
  assert.deepEqual([queue.isStrip, queue.isPresent], [true, true]);
  queue.expand();
  queue.expect(true);
  assert.equal(queue.isStrip, false);
  queue.push(film(["card"], 4));
  assert.equal(queue.round, null);
});

test("who must act sees the result of a round as well, and a tap makes it a strip", () => {
  for (const isHurried of [false, true]) {
    const { queue, clock } = newQueue();
    queue.expect(true);
    queue.push(film(["card", "trick", "score"]));
    clock.move(2_000);
    assert.deepEqual([queue.isStrip, queue.step.kind], [false, "score"]);
    if (isHurried) queue.hurry();
    else clock.move(1_000);
    assert.deepEqual([queue.isStrip, queue.step, queue.round.view.version], [true, null, 3]);
  }
});

test("a hurried queue stops at the result of a round", () => {
  const { queue } = newQueue();
  queue.push(film(["card", "trick", "score", "deal"]));
  queue.hurry();
  assert.deepEqual([queue.view.version, queue.round.view.version], [3, 3]);
});

test("a page that comes back shows the result of the last round if nobody has played since", () => {
  const { queue } = newQueue({ isHidden: true });
  queue.push(film(["card", "trick", "score", "deal", "say"]));
  assert.deepEqual([queue.view.version, queue.round.view.version], [5, 3]);
  queue.push(film(["card"], 6));
  assert.equal(queue.round, null);
});

test("a view that jumps ends what is shown", () => {
  const { queue, clock } = newQueue();
  queue.push(film(["score", "deal", "say"]));
  queue.jump({ version: 40 });
  assert.deepEqual([queue.view.version, queue.seq, queue.round, queue.isPresent, clock.timers.size], [40, 40, null, true, 0]);
});
