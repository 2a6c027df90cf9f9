// What the table shows, one thing after another, with a clock that the test moves.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Queue } from "../../../web/show/queue.js";
import { Shown } from "../../../web/show/shown.js";
import { stepsBetween } from "../../../web/show/steps.js";

/** A clock that stands until it is moved. */
class Clock {
  time = 0;
  timers = new Map();
  now = () => this.time;
  set = (act, ms) => {
    this.timers.set(this.timers.size + 1 + this.time * 1000, { act, at: this.time + ms });
    return [...this.timers.keys()].at(-1);
  };
  clear = (timer) => void this.timers.delete(timer);

  /** Moves on, and calls what is due in order. */
  move(ms) {
    const end = this.time + ms;
    for (let next; (next = this.next(end)); ) {
      this.timers.delete(next[0]);
      this.time = next[1].at;
      next[1].act();
    }
    this.time = end;
  }

  next(end) {
    return [...this.timers].filter(([, { at }]) => at <= end).sort((one, other) => one[1].at - other[1].at)[0];
  }
}

const PACE = { speed: "normal", isReduced: false, isHidden: false };

function newQueue(changes = {}) {
  const clock = new Clock();
  const pace = { ...PACE, ...changes };
  return { clock, pace, queue: new Queue(clock, () => pace) };
}

const view = (version) => ({ version });
const step = (kind, seq) => ({ kind, event: kind === "score" ? { score: { round: 1 } } : null, seq, view: view(seq) });
/** Steps of the kinds, numbered from 1. */
const film = (...kinds) => kinds.map((kind, at) => step(kind, at + 1));

/** What each moment shows, from now until nothing moves: `kind@ms`. */
function shownBy(queue, clock, until = 60_000) {
  const seen = [];
  let last;
  const note = () => {
    const now = queue.step && `${queue.step.kind}${queue.isSweeping ? " swept" : ""}`;
    if (now && now !== last) seen.push(`${now}@${Math.round(clock.time)}`);
    last = queue.step && `${now} ${queue.step.seq}` ? now : now;
  };
  note();
  const leave = queue.subscribe(note);
  clock.move(until);
  leave();
  return seen;
}

test("each step takes its time, and a trick lies before it is swept", () => {
  const { queue, clock } = newQueue();
  queue.push(film("deal", "say", "card", "trick"));
  assert.deepEqual(shownBy(queue, clock), ["deal@0", "say@600", "card@1100", "trick@1450", "trick swept@2650"]);
  assert.equal(queue.step, null);
  assert.equal(queue.view.version, 4);
});
