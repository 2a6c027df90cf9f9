// A recorded game that the page plays by itself, with what is said about it and what the learner chooses.

import { now } from "../api/client.js";
import { parse } from "../game/cards.js";
import { advance } from "../game/advance.js";
import { Source } from "../source.js";

/**
 * @typedef {object} Step something that is said when the game has come so far, and perhaps a choice
 * @property {string} say the key of its text
 * @property {number} until the number of the last event before it
 * @property {"hand" | "trump" | "calls" | "totals"} [points] what is spoken of
 * @property {Command} [right] what the recorded player did next; the step is a choice, and not the last
 * @property {Record<string, string>} [wrong] keys of texts about other choices, by what `choiceName` says, or `other`
 */

/**
 * The view before the first message, and what the stream brought after it: envelopes of events, with the turn in the last one of
 * a command. @typedef {{ view: GameView, messages: any[], steps: Step[] }} Recording
 */
/** @typedef {{ title: string, names: string[], says: Record<string, string> }} Texts the names are by seat */

/** A short name of a choice for the tables of wrong ones, such as "play 10H". @param {Command} command */
export const choiceName = ({ type, tricks, trump, card }) =>
  [type, card, tricks, trump].filter((part) => part !== undefined).join(" ");

/** It has what a table reads of `Game`: `view`, `events`, `send`, `subscribe` and so on. */
export class Lesson extends Source {
  /** @type {unknown} */
  error = null;
  /** @type {Command | null} */
  pending = null;
  /** @type {Game["state"]} */
  state = "open";
  isSeedReplaced = false;
  /** @type {EventEnvelope[]} */
  events = [];
  /** How many messages were taken, and the number of the step. */
  taken = 0;
  at = 0;
  /** What is said about a wrong choice. @type {string | null} */
  comment = null;

  /** @param {Recording} recording @param {Texts} texts */
  constructor({ view, messages, steps }, texts) {
    super();
    this.texts = texts;
    this.messages = messages;
    this.steps = steps;
    this.id = view.id;
    this.first = this.named(view);
    this.present = this.view = this.first;
    this.show();
  }

  /** Back to the start. */
  restart() {
    [this.events, this.taken, this.at, this.comment] = [[], 0, 0, null];
    this.present = this.first;
    this.show();
  }

  get step() {
    return /** @type {Step} */ (this.steps[this.at]);
  }

  /** Whether the game has not come to the step yet: `feed` it. */
  get isBehind() {
    const next = this.messages[this.taken];
    return next !== undefined && next.seq <= this.step.until;
  }

  get isLast() {
    return this.at === this.steps.length - 1;
  }

  /** What is said now. */
  get words() {
    return this.texts.says[this.step.say] ?? this.step.say;
  }

  /** Goes on to the next step. A choice waits for `send`. */
  next() {
    if (this.isLast || this.isBehind || this.step.right) return;
    this.goOn();
  }

  /** Takes the events of the next command, up to its turn, as a stream brings them. */
  feed() {
    if (this.isBehind) {
      const end = this.messages.findIndex(({ turn }, at) => turn && at >= this.taken) + 1;
      // They happen now: a table shows old events at once.
      const at = new Date(now()).toISOString();
      this.events = [
        ...this.events,
        ...this.messages.slice(this.taken, end).map(({ turn, ...envelope }) => ({ ...envelope, at })),
      ];
      this.taken = end;
      this.present =
        advance(this.present, undefined, this.events, this.named(this.messages[end - 1].turn)) ?? this.present;
    }
    this.show();
  }

  /** @param {Command} command one of `legal` */
  async send(command) {
    const { right, wrong = {} } = this.step;
    if (!right || this.isBehind) return;
    if (choiceName(command) === choiceName(right)) return this.goOn();
    const key = wrong[choiceName(command)] ?? wrong.other;
    this.remark(key ? (this.texts.says[key] ?? key) : null);
  }

  /** @param {string | null} comment about what was tried */
  remark(comment) {
    this.comment = comment;
    this.changed();
  }

  /** Nothing else can be asked of a recorded game. @returns {Promise<null>} */
  async act() {
    return null;
  }

  /** It is all here. */
  async load() {}

  close() {}

  /** Why a command is not legal, as `Game` asks the server; null for a legal one. @param {Command} command */
  async check(command) {
    const name = choiceName(command);
    return this.view.legal.some((one) => choiceName(one) === name) ? null : refusal(this.view, command);
  }

  /** @private */
  goOn() {
    this.at += 1;
    this.comment = null;
    this.feed();
  }

  /** Only a choice can be answered. @private */
  show() {
    const { right } = this.step;
    this.view = right && !this.isBehind ? this.present : { ...this.present, legal: [] };
    this.changed();
  }

  /** With the names and the title of the language. @private @template {object} T @param {T} part a view or a turn @returns {T} */
  named(part) {
    const { seats, ruleset } = /** @type {Partial<GameView>} */ (part);
    return {
      ...part,
      ...(ruleset && { ruleset: { ...ruleset, title: this.texts.title } }),
      ...(seats && {
        seats: seats.map((seat, index) => ({ ...seat, player: { ...seat.player, name: this.texts.names[index] } })),
      }),
    };
  }
}

/** The suits by their letters, as the API names them. */
const SUITS = /** @type {const} */ ({ C: "clubs", D: "diamonds", H: "hearts", S: "spades" });

/** @param {GameView} view @param {Command} command one that is not legal @returns {import("./reasons.js").Refused} */
function refusal({ round, you, legal }, { type, card, tricks = 0 }) {
  if (!round || round.to_act?.seat !== you?.seat || legal.length === 0) return { code: "not-your-turn", members: {} };
  const led = round.trick?.plays[0]?.card;
  if (type === "play" && round.phase === "play" && card && led) {
    return { code: "must-follow-suit", members: { led: SUITS[/** @type {keyof typeof SUITS} */ (parse(led).suit)] } };
  }
  if (type === "estimate" && round.phase === "estimates") {
    const total = round.hand_size;
    const called = round.calls.reduce((sum, call) => sum + call.tricks, 0);
    if (called + tricks === total) return { code: "total-barred", members: { barred: tricks, total } };
    const open = legal.map((one) => one.tricks ?? 0);
    return { code: "estimate-out-of-range", members: { min: Math.min(...open), max: Math.max(...open) } };
  }
  return { code: "wrong-phase", members: { phase: round.phase } };
}
