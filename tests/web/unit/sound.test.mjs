// Which sounds the table makes, and when it makes none.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { settings } from "../../../web/settings.js";
import { play } from "../../../web/sound/sounds.js";
import { Listener } from "../../../web/sound/table_sounds.js";

const view = (changes = {}) => ({ version: 7, status: "playing", you: { seat: 0 }, round: { to_act: { seat: 1 } }, ...changes });
const table = (changes = {}) => ({ view: view(), step: null, isSweeping: false, legal: [], ...changes });
const step = (kind, seq, event = null) => ({ kind, seq, event });
const scored = (own, tricks) => ({ type: "round_scored", score: { calls: [{ seat: 0, tricks: own }, { seat: 1, tricks: 3 }], tricks } });

test("a step sounds once, however often the table is drawn", () => {
  const listener = new Listener();
  assert.deepEqual(listener.hear(table({ step: step("deal", 5) })), ["deal"]);
  assert.deepEqual(listener.hear(table({ step: step("deal", 5) })), []);
  assert.deepEqual(listener.hear(table({ step: step("card", 6) })), ["card"]);
  assert.deepEqual(listener.hear(table({ step: step("card", 7) })), ["card"]);
  assert.deepEqual(listener.hear(table()), []);
});

test("a trick sounds when it is swept, not while it lies", () => {
  const listener = new Listener();
  assert.deepEqual(listener.hear(table({ step: step("trick", 9) })), []);
  assert.deepEqual(listener.hear(table({ step: step("trick", 9), isSweeping: true })), ["sweep"]);
});

test("a round sounds by one's own call, and not to those who watch", () => {
  const after = (event, changes) => new Listener().hear(table({ step: step("score", 20, event), ...changes }));
  assert.deepEqual(after(scored(2, [2, 3])), ["made"]);
  assert.deepEqual(after(scored(0, [0, 3])), ["made"]);
  assert.deepEqual(after(scored(2, [1, 3])), ["missed"]);
  assert.deepEqual(after(scored(2, [2, 3]), { view: view({ you: null }) }), []);
  const folded = { type: "round_scored", score: { calls: [], tricks: [0, 0] } };
  assert.deepEqual(after(folded), []);
});

test("one's own turn sounds once, when one can act", () => {
  const listener = new Listener();
  const own = view({ round: { to_act: { seat: 0 } } });
  const legal = [{ type: "pass" }];
  assert.deepEqual(listener.hear(table({ view: own })), []);
  assert.deepEqual(listener.hear(table({ view: own, legal })), ["turn"]);
  assert.deepEqual(listener.hear(table({ view: own, legal })), []);
  assert.deepEqual(listener.hear(table({ view: { ...own, version: 8 }, legal })), ["turn"]);
  assert.deepEqual(listener.hear(table({ view: view({ version: 9 }), legal })), [], "a command that one may give in the turn of another");
});

/** The contexts that were opened, each with what was started in it. */
let opened = [];

/** A parameter of a sound, which must stay audible and finite. */
class Parameter {
  value = 0;
  set = (value, at) => assert.ok(Number.isFinite(value) && Number.isFinite(at) && at >= 0);
  setValueAtTime = this.set;
  linearRampToValueAtTime = this.set;
  exponentialRampToValueAtTime = (value, at) => {
    assert.ok(value > 0, "a ramp to 0 throws in a browser");
    this.set(value, at);
  };
}

class Node {
  gain = new Parameter();
  frequency = new Parameter();
  Q = new Parameter();
  constructor(context) {
    this.context = context;
  }
  connect(next) {
    return next;
  }
  start(at) {
    this.context.started.push(at);
  }
  stop() {}
}

globalThis.document = { hidden: false };
globalThis.AudioContext = class {
  currentTime = 0;
  sampleRate = 8000;
  state = "running";
  started = [];
  constructor() {
    opened.push(this);
  }
  createGain = () => new Node(this);
  createOscillator = () => new Node(this);
  createBufferSource = () => new Node(this);
  createBiquadFilter = () => new Node(this);
  createBuffer = (_channels, length) => ({ getChannelData: () => new Float32Array(length) });
};

/** @param {boolean} hasBeenActive */
function touched(hasBeenActive) {
  Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive }, configurable: true });
}

beforeEach(() => {
  settings.set("sound", true);
  touched(true);
  document.hidden = false;
});

test("nothing sounds, and nothing is opened, before the first gesture, while sounds are off, or in a hidden page", () => {
  touched(false);
  play("card");
  touched(true);
  settings.set("sound", false);
  play("card");
  settings.set("sound", true);
  document.hidden = true;
  play("card");
  assert.deepEqual(opened, []);
});

test("all sounds are made in one context", () => {
  for (const name of ["card", "deal", "sweep", "turn", "made", "missed", "end"]) {
    const before = opened[0]?.started.length ?? 0;
    play(name);
    assert.ok(opened[0].started.length > before, name);
  }
  assert.equal(opened.length, 1);
});
