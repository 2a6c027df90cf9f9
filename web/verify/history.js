// Checks one history: the chain, the table before the start, the deals, and the end.

import { canonical, hex, isHex, isSigned, isSoundJson, joined, same, sha256, unhex, utf8 } from "./bytes.js";
import { shuffled } from "./deal.js";
import { Deals } from "./deals.js";
import { Table } from "./opening.js";
import { rulesOf } from "./rules.js";

/** @typedef {import("./pieces.js").History} History */
/** @typedef {"chain" | "commitments" | "seeds" | "deals" | "signature" | "log" | "start" | "kept"} CheckId */
/** @typedef {{ seq: number | null, rule: string, check: CheckId }} Finding `seq` is null for the whole history; rules as in docs/specification.md, or one of `UNCHECKED` */
/** @typedef {{ seq: number, at: string, actor: any, event: any, hash: string }} ReadEvent */

const FORMAT = "estimation/history/v1";
const TIME = /^(?!0000|9999)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const BODY = "actor,at,event,game,seq";
const ALGORITHM = "estimation/deal/v2";
const OVER = ["game_finished", "game_abandoned"];

/** How many events are checked between two pauses, in which the page stays responsive. */
const SLICE = 200;

/** The maximum number of findings of a history. */
const MOST = 50;

export class HistoryCheck {
  /** @type {Finding[]} */ findings = [];
  /** @type {ReadEvent[]} */ events = [];
  /** How many events come before the first one that is missing or cannot be read. */ whole = 0;
  /** The event that is compared with the rules. */ at = 1;
  counts = { chain: 0, commitments: 0, seeds: 0, deals: 0, signature: 0 };
  last = 0;
  head = "00".repeat(32);

  /** @param {History} history @param {Map<string, Uint8Array> | null} keys public keys by their id; null if none are known */
  constructor(history, keys) {
    this.history = history;
    this.keys = keys;
  }

  /** @param {number | null} seq @param {string} rule @param {CheckId} check */
  found(seq, rule, check = "chain") {
    this.findings.push({ seq, rule, check });
  }

  /** @returns {Promise<Finding[]>} those of the earliest events */
  async run() {
    if (this.history.header.format !== FORMAT) this.found(null, "form");
    for (const [index, line] of this.history.events.entries()) {
      if (index % SLICE === SLICE - 1) await new Promise((resolve) => setTimeout(resolve));
      this.line(line);
    }
    try {
      await this.game(this.seed());
    } catch {
      // A value that no check expects.
      this.found(this.at, "form");
    }
    this.end();
    return this.findings.sort((one, other) => (one.seq ?? Infinity) - (other.seq ?? Infinity)).slice(0, MOST);
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
    if (this.whole === this.events.length && seq === this.whole + 1) this.whole = seq;
    this.events.push({ seq, at: at < latest ? latest : at, actor, event, hash });
  }

  /** The seed that the server revealed; null if there is none, or if it does not fit the last commitment. */
  seed() {
    const commitment = this.events.findLast(({ seq, event }) => event.type === "opening_failed" || (seq === 1 && event.type === "game_created"));
    const ended = this.events.at(-1)?.event;
    if (!commitment || !OVER.includes(ended?.type)) return null;
    this.counts.commitments += 1;
    const isForm = isHex(ended.server_seed, 64);
    if (isForm && hex(sha256(unhex(ended.server_seed))) === commitment.event.commitment) return ended.server_seed;
    this.found(this.last, isForm ? "commitment" : "form", "commitments");
    return null;
  }

  /** The table, its start, and every deal, up to the first event that breaks a rule. @param {string | null} seed */
  async game(seed) {
    const [first, ...events] = this.events.slice(0, this.whole);
    if (!first) return;
    const { ruleset, algorithm, opening_seconds: opening, turn_seconds: turn } = first.event;
    const rules = rulesOf(ruleset);
    if (first.event.type !== "game_created") return this.found(1, "command", "seeds");
    if (rules === null || ruleset.id !== this.history.header.ruleset) return this.found(1, "ruleset", "deals");
    if (algorithm !== ALGORITHM) return this.found(1, "deal", "deals");
    const longest = turn === null ? 86_400 : Math.max(15, Number(turn));
    if (!(Number.isInteger(opening) && opening >= 15 && opening <= longest)) return this.found(1, "form", "seeds");
    if (!same(first.actor, { place: 0 })) return this.found(1, "actor", "seeds");
    const table = new Table(first.event);
    let compared = 0;
    const deals = new Deals(rules, (round, attempt) => {
      if (seed === null) return null;
      compared += 1;
      return shuffled(rules, { alg: ALGORITHM, game: this.history.header.game, seeds: table.seeds, round, attempt }, seed);
    });
    for (const [index, read] of events.entries()) {
      this.at = read.seq;
      if (index % SLICE === SLICE - 1) await new Promise((resolve) => setTimeout(resolve));
      const part = table.stage === "started" ? deals : table;
      const rule = part.take(read);
      if (rule !== null) return this.found(read.seq, rule, part === deals ? "deals" : "seeds");
      if (read.event.type === "seed_opened") this.counts.seeds += 1;
    }
    if (table.stage === "started") this.counts.seeds += table.seeds.filter((one) => one !== null).length;
    if (this.whole === this.history.events.length) this.counts.deals = compared;
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
    if (!same(standings, end.standings)) this.found(this.last, "standings");
    if (this.keys === null || status === "running") return;
    this.counts.signature += 1;
    const { game, ruleset } = header;
    const statement = canonical({ game, ruleset, head: end.head, events: end.events, standings: end.standings });
    const key = this.keys.get(end.signature?.kid);
    const isGood = key && isSigned(unhex(end.signature.value), utf8(`estimation/game-end/v1\n${statement}`), key);
    if (!isGood) this.found(null, "signature", "signature");
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
  const fits = typeof value.event.type === "string" && isTime(value.at);
  return fits && Number.isSafeInteger(value.seq) && value.seq >= 0 ? null : "form";
}

/** @param {unknown} at @returns {at is string} */
export const isTime = (at) => typeof at === "string" && TIME.test(at) && !Number.isNaN(Date.parse(at)) && new Date(at).toISOString() === at;
