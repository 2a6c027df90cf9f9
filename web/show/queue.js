// The queue of what is shown: one step after another, each for its time.

import { Source } from "../source.js";

/** @typedef {import("./steps.js").Step} Step */
/** @typedef {{ score: Schemas["ScoredRound"], view: GameView }} Result */
/** @typedef {Step & { ms: number }} TimedStep `ms`: how long it moves; a trick lies before that */

/**
 * @typedef {{ now: () => number, set: (act: () => void, ms: number) => number, clear: (timer?: number) => void }} Clock
 *     in milliseconds
 */
/**
 * @typedef {{ speed: keyof typeof SPEEDS, isReduced: boolean, isHidden: boolean }} Pace whether nothing travels, and
 *     nobody looks
 */

/** Milliseconds at normal speed. The result of a round stays longer if nobody waits for the player. */
const TIMES = { deal: 600, say: 500, card: 350, trick: 300, score: 1_500, over: 0 };
/** How long a complete trick lies before it is swept, and how long at least, however much is waiting. */
const TRICK_LIES = 1_200;
const TRICK_LIES_LEAST = 1_000;
/** What only moves. */
const TRAVELS = ["deal", "trick"];
/** What takes the result of a round away. @type {(string | null)[]} */
const ENDS_RESULT = ["card", "over"];
const SPEEDS = { slow: 1.6, normal: 1, fast: 0.5 };

/** How long the player waits for the own turn, and for what happened during the turns of others. */
const TURN_MS = 3_000;
const OTHERS_MS = 8_000;
/** More complete tricks than these are not shown one after another. */
const MOST_TRICKS = 6;

export class Queue extends Source {
  /** The view that the table draws. @type {GameView | null} */
  view = null;
  /** What is being shown. @type {TimedStep | null} */
  step = null;
  /** Whether the complete trick of `step` is on its way to its winner. */
  isSweeping = false;
  /** The last event that is shown. */
  seq = 0;
  /** The result of a finished round, until `continue`, and the view at its end. @type {Result | null} */
  round = null;
  /** Whether the result is a strip, because the player must act. */
  isStrip = false;
  /** @type {Step[]} */
  waiting = [];
  /** Whether the steps wait for `continue`. */
  isHeld = false;
  isDue = false;
  /** When all that waits must have been shown. */
  deadline = 0;
  /** When the steps began to wait for `continue`. */
  heldAt = 0;
  /** @type {number | undefined} */
  timer = undefined;

  /** @param {Clock} clock @param {() => Pace} pace */
  constructor(clock, pace) {
    super();
    this.clock = clock;
    this.pace = pace;
  }

  /** Whether `view` is the newest one. */
  get isPresent() {
    return this.waiting.length === 0 && this.step?.kind !== "trick";
  }

  /** How many complete tricks wait. @private */
  get tricks() {
    return this.waiting.filter(({ kind }) => kind === "trick").length;
  }

  /** Adds steps after those that wait. @param {readonly Step[]} steps */
  push(steps) {
    this.waiting.push(...steps);
    this.allowTime();
    if (this.pace().isHidden || this.tricks > MOST_TRICKS) this.finish();
    else if (!this.step && !this.isHeld) this.next();
  }

  /** Shows a step at once, before the end of the present one. Nothing may wait. @param {Step} step */
  interrupt(step) {
    this.stop();
    this.waiting.push(step);
    this.allowTime();
    this.next();
  }

  /** Shows a view at once, without what came before it. @param {GameView} view */
  jump(view) {
    this.waiting = [{ kind: null, event: null, seq: view.version, view }];
    this.close();
    this.finish();
  }

  /** Tells whether the player must act. Then everything is shown soon. @param {boolean} isDue */
  expect(isDue) {
    const begins = isDue && !this.isDue;
    this.isDue = isDue;
    if (!begins) return;
    this.deadline = this.clock.now() + TURN_MS;
    const left = this.isHeld ? this.heldAt + TIMES.score * SPEEDS[this.pace().speed] - this.clock.now() : 0;
    if (left <= 0) return this.shrink();
    this.stop();
    this.timer = this.clock.set(() => this.shrink(), left);
  }

  /** Makes the result of a round a strip, and shows what comes after it. @private */
  shrink() {
    this.isStrip = this.round !== null;
    this.release();
  }

  /** Shows the result of a round as a sheet again. */
  expand() {
    this.isStrip = false;
    this.changed();
  }

  /** Shows what is waiting at once, up to the result of a round. */
  hurry() {
    if (this.isHeld) return;
    const at = this.waiting.findIndex(({ kind }) => kind === "score");
    if (at < 0) return this.finish();
    this.stop();
    this.waiting.splice(0, at);
    this.next();
  }

  /** Closes the result of a round, and shows what comes after it. */
  continue() {
    this.close();
    this.release();
    this.changed();
  }

  /** Shows the last of the waiting steps at once. */
  finish() {
    this.stop();
    const last = this.waiting.at(-1) ?? this.step;
    // The result of a round before the last card stays to be read.
    const scored = this.waiting.findLast(({ kind }) => kind === "score" || ENDS_RESULT.includes(kind));
    if (last) this.draw(last);
    if (scored?.kind === "score") this.open(scored);
    else if (scored) this.close();
    this.waiting = [];
    this.step = null;
    this.isSweeping = false;
    this.isHeld = false;
    if (this.isDue) this.isStrip = this.round !== null;
    this.changed();
  }

  /** Ends all timers. */
  stop() {
    this.clock.clear(this.timer);
  }

  /** @private @param {Step} step */
  draw({ view, seq }) {
    [this.view, this.seq] = [view, seq];
  }

  /** @private @param {Step} step */
  open({ event, view }) {
    if (event?.score) this.round = { score: event.score, view };
    this.isStrip = false;
  }

  close() {
    this.round = null;
    this.isStrip = false;
  }

  /** @private */
  release() {
    if (!this.isHeld) return;
    this.stop();
    this.isHeld = false;
    this.allowTime();
    this.next();
  }

  /** @private */
  allowTime() {
    if (!this.isDue) this.deadline = this.clock.now() + OTHERS_MS;
  }

  /** @private */
  next() {
    const { moves, lies } = this.times();
    const step = this.waiting.shift();
    this.isSweeping = false;
    this.step = step?.kind ? { ...step, ms: moves } : null;
    if (!step) return this.changed();
    if (ENDS_RESULT.includes(step.kind)) this.close();
    if (step.kind === "trick") {
      this.seq = step.seq;
      return this.after(lies, () => {
        this.isSweeping = true;
        this.after(moves, () => {
          this.draw(step);
          this.next();
        });
      });
    }
    this.draw(step);
    if (step.kind !== "score") return this.after(moves, () => this.next());
    this.open(step);
    this.isHeld = !this.isDue;
    this.heldAt = this.clock.now();
    if (this.isHeld) return this.changed();
    this.after(moves, () => {
      this.isStrip = this.round !== null;
      this.next();
    });
  }

  /** @private @param {number} ms @param {() => void} act */
  after(ms, act) {
    if (ms > 0) this.timer = this.clock.set(act, ms);
    this.changed();
    if (ms <= 0) act();
  }

  /** How long the first of the waiting steps moves, and lies before that, so that all of them end in time. @private */
  times() {
    const { speed, isReduced } = this.pace();
    const scale = SPEEDS[speed];
    const movesOf = (/** @type {Step} */ { kind }) =>
      kind && !(isReduced && TRAVELS.includes(kind)) ? TIMES[kind] * scale : 0;
    const { tricks } = this;
    const lies = TRICK_LIES * scale;
    const least = Math.min(lies, TRICK_LIES_LEAST);
    const moves = this.waiting.reduce((sum, step) => sum + movesOf(step), 0);
    const left = Math.max(0, this.deadline - this.clock.now());
    // First what moves is shortened, then the time in which tricks lie.
    const share = (/** @type {number} */ spare, /** @type {number} */ wish) =>
      wish > 0 ? Math.min(1, Math.max(0, spare / wish)) : 1;
    const fits = share(left - tricks * least, moves + tricks * (lies - least));
    const [first] = this.waiting;
    return {
      moves: first ? movesOf(first) * fits : 0,
      lies: (least + (lies - least) * fits) * share(left, tricks * least),
    };
  }
}
