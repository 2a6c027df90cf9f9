// Checks one history: chain, commitments, seeds, deals, and its end.

import { canonical, hex, isHex, isSigned, isSoundJson, joined, sha256, unhex, utf8 } from "./bytes.js";
import { dealt, shuffled } from "./deal.js";

/** @typedef {import("./pieces.js").History} History */
/** @typedef {{ seq: number | null, rule: string }} Finding `seq` is null for the whole history; rules as in docs/specification.md */
/** @typedef {{ seq: number, at: string, actor: any, event: any, hash: string }} ReadEvent */

const TIME = /^(?!0000|9999)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const BODY = "actor,at,event,game,seq";
const ALGORITHM = "estimation/deal/v2";
const OVER = ["game_finished", "game_abandoned"];

/** How many events are checked between two pauses, in which the page stays responsive. */
const SLICE = 200;

export class HistoryCheck {
  /** @param {History} history @param {Map<string, Uint8Array> | null} keys public keys by their id; null if none are known */
  constructor(history, keys) {
    this.history = history;
    this.keys = keys;
    /** @type {Finding[]} */
    this.findings = [];
    /** @type {ReadEvent[]} */
    this.events = [];
    this.counts = { chain: 0, commitments: 0, seeds: 0, deals: 0, signature: 0 };
    this.last = 0;
    this.head = "00".repeat(32);
  }

  /** @param {number | null} seq @param {string} rule */
  found(seq, rule) {
    this.findings.push({ seq, rule });
  }

  async run() {
    for (const [index, line] of this.history.events.entries()) {
      if (index % SLICE === SLICE - 1) await new Promise((resolve) => setTimeout(resolve));
      this.line(line);
    }
    this.seeds();
    await this.deals();
    this.end();
  }

  /** Form, order, chain and time of an event. @param {import("./pieces.js").EventLine} line */
  line({ seq, hash, body }) {
    if (seq !== this.last + 1) this.found(this.last + 1, "order");
    this.last = seq;
    const right = hex(sha256(joined(unhex(this.head), utf8(body))));
    if (hash !== right) this.found(seq, "chain");
    this.counts.chain += 1;
    this.head = isHex(hash, 64) ? hash : right;
    const rule = broken(body);
    if (rule !== null) return this.found(seq, rule);
    const { game, seq: own, at, actor, event } = JSON.parse(body);
    if (game !== this.history.header.game || own !== seq) this.found(seq, "order");
    const latest = this.events.at(-1)?.at ?? "";
    if (at < latest) this.found(seq, "time");
    this.events.push({ seq, at: at < latest ? latest : at, actor, event, hash });
  }

  /** Each seed that a player opened is the one committed to. */
  seeds() {
    /** @type {Map<number, string | null>} */
    const commitments = new Map();
    for (const { seq, event } of this.events) {
      if (event.type === "seed_committed") commitments.set(event.place, event.commitment);
      if (event.type !== "seed_opened") continue;
      this.counts.seeds += 1;
      if (hex(sha256(utf8(String(event.client_seed)))) !== commitments.get(event.place)) this.found(seq, "command");
    }
  }

  /** The revealed seed fits the commitment, and gives every deal. */
  async deals() {
    const first = this.events[0]?.event;
    const ended = this.events.at(-1)?.event;
    if (first?.type !== "game_created" || !isRules(first.ruleset)) return;
    if (first.algorithm !== ALGORITHM) return this.found(1, "deal");
    const seed = OVER.includes(ended?.type) && isHex(ended.server_seed, 64) ? ended.server_seed : null;
    const commitment = this.events.filter(({ event }) => event.type === "opening_failed").at(-1)?.event.commitment ?? first.commitment;
    let knownSeed = seed;
    if (seed !== null) {
      this.counts.commitments += 1;
      if (hex(sha256(unhex(seed))) !== commitment) {
        this.found(this.last, "commitment");
        knownSeed = null;
      }
    }
    const salts = new Set();
    let cut = 0;
    let isBroken = false;
    const seeds = this.events.find(({ event }) => event.type === "game_started")?.event.client_seeds;
    for (const [index, { seq, event }] of this.events.entries()) {
      if (index % SLICE === SLICE - 1) await new Promise((resolve) => setTimeout(resolve));
      if (event.type === "deck_cut") cut = event.position;
      if (event.type !== "round_dealt" && event.type !== "seats_drawn") continue;
      if (event.type === "round_dealt") {
        if (salts.has(event.salt)) this.found(seq, "salt");
        salts.add(event.salt);
      }
      if (knownSeed !== null && !isBroken && Array.isArray(seeds)) {
        const statement = { alg: ALGORITHM, game: this.history.header.game, seeds, round: event.round ?? 0, attempt: event.attempt ?? 1 };
        this.counts.deals += 1;
        if (!isDealt(event, shuffled(first.ruleset, statement, knownSeed), cut, first.ruleset)) {
          this.found(seq, "deal");
          // A deal under another number gives other cards too, and nothing more can be learned from the next ones.
          isBroken = true;
        }
      }
      cut = 0;
    }
  }

  /** The end fits the events, and is signed. */
  end() {
    const { header, end, isMalformed } = this.history;
    if (isMalformed) return this.found(this.last + 1, "form");
    if (end === null) return this.found(this.last + 1, "unfinished");
    if (end.events !== this.last) this.found(this.last + 1, "head");
    if (end.head !== this.head) this.found(this.last, "head");
    const ended = this.events.at(-1)?.event;
    const status = ended?.type === "game_finished" ? "finished" : ended?.type === "game_abandoned" ? "abandoned" : "running";
    if (status !== header.status) this.found(this.last + 1, "unfinished");
    const standings = status === "finished" ? ended.standings : null;
    if (JSON.stringify(canonicalOrNull(standings)) !== JSON.stringify(canonicalOrNull(end.standings))) this.found(this.last, "standings");
    if (this.keys === null || status === "running") return;
    this.counts.signature += 1;
    const { game, ruleset } = header;
    const statement = canonical({ game, ruleset, head: end.head, events: end.events, standings: end.standings });
    const key = this.keys.get(end.signature?.kid);
    const isGood = key && isSigned(unhex(end.signature.value), utf8(`estimation/game-end/v1\n${statement}`), key);
    if (!isGood) this.found(null, "signature");
  }
}

/** The rule that a stored text breaks by itself. @param {string} body @returns {"form" | "canonical" | null} */
function broken(body) {
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    return "form";
  }
  if (!isSoundJson(value)) return "form";
  try {
    if (canonical(value) !== body) return "canonical";
  } catch {
    return "canonical";
  }
  const isObject = (/** @type {unknown} */ one) => typeof one === "object" && one !== null && !Array.isArray(one);
  if (!isObject(value) || Object.keys(value).join() !== BODY || !isObject(value.event)) return "form";
  const fits = typeof value.event.type === "string" && typeof value.at === "string" && TIME.test(value.at) && isDay(value.at);
  return fits && Number.isSafeInteger(value.seq) && value.seq >= 0 ? null : "form";
}

/** @param {string} at */
const isDay = (at) => !Number.isNaN(Date.parse(at)) && new Date(at).toISOString() === at;

/** @param {any} rules */
const isRules = (rules) => typeof rules === "object" && rules !== null && Number.isInteger(rules.players) && rules.players >= 2 && rules.players <= 5;

/** @param {unknown} value */
function canonicalOrNull(value) {
  try {
    return canonical(value);
  } catch {
    return null;
  }
}

/** Whether a deal, or a draw for seats, is what the pack gives. @param {any} event @param {string[]} pack @param {number} cut @param {any} rules */
function isDealt(event, pack, cut, rules) {
  if (event.type === "seats_drawn") return JSON.stringify(event.cards) === JSON.stringify(pack.slice(0, rules.players));
  const whole = (/** @type {unknown} */ number) => Number.isInteger(number) && /** @type {number} */ (number) >= 0 && /** @type {number} */ (number) <= 13;
  if (!whole(event.hand_size) || !whole(event.first_speaker)) return false;
  const { hands, indicator } = dealt(pack, cut, event, rules);
  return JSON.stringify([event.hands, event.indicator]) === JSON.stringify([hands, indicator]);
}
