// Checks one history: the chain, the table before the start, the deals, and the end.

import { shuffled } from "./deal.js";
import { Deals } from "./deals.js";
import { Table } from "./opening.js";
import { rulesOf } from "./rules.js";
import {
  canonical,
  hex,
  isAny,
  isCount,
  isHex,
  isObject,
  isSigned,
  isText,
  isTime,
  objectOf,
  parsed,
  same,
  sha256,
  tried,
  unhex,
  utf8,
} from "./values.js";

/** @typedef {"chain" | "commitments" | "seeds" | "deals" | "signature" | "log" | "start" | "kept"} CheckId */
/**
 * By the rules of docs/specification.md and `UNCHECKED`.
 * @typedef {{ seq: number | null, rule: string, check: CheckId }} Finding
 */
/** @typedef {{ seq: number, at: string, actor: any, event: any, hash: string }} ReadEvent */

const FORMAT = "estimation/history/v1";
const ALGORITHM = "estimation/deal/v2";
const isBody = objectOf({
  actor: isAny,
  at: isTime,
  event: (event) => isObject(event) && isText(event.type),
  game: isAny,
  seq: isCount,
});

/** The status of a game by its last event. */
const OVER = new Map([
  ["game_finished", "finished"],
  ["game_abandoned", "abandoned"],
]);

/** How many events are checked between two pauses, in which the page stays responsive. */
const SLICE = 200;

/** The maximum number of findings of a history. */
const MOST = 50;

/** @param {number} index of the event that was checked */
const pause = (index) => (index % SLICE === SLICE - 1 ? new Promise((resolve) => setTimeout(resolve)) : null);

export class HistoryCheck {
  /** @type {Finding[]} */ findings = [];
  /** @type {ReadEvent[]} */ events = [];
  /** How many events come before the first one that is missing or cannot be read. */ whole = 0;
  /** The event that is compared with the rules. */ at = 1;
  /** How much each check compared. @type {Record<CheckId, number>} */
  counts = { chain: 0, commitments: 0, seeds: 0, deals: 0, signature: 0, log: 0, start: 0, kept: 0 };
  last = 0;
  head = "00".repeat(32);

  /** @param {import("./pieces.js").History} history @param {Map<string, Uint8Array> | null} keys by their id, if any is known */
  constructor(history, keys) {
    this.history = history;
    this.keys = keys;
  }

  /** @param {number | null} seq @param {string} rule @param {CheckId} check */
  found(seq, rule, check = "chain") {
    this.findings.push({ seq, rule, check });
  }

  /** Keeps the findings of the earliest events. */
  async run() {
    if (this.history.header.format !== FORMAT) this.found(null, "form");
    for (const [index, line] of this.history.events.entries()) {
      await pause(index);
      this.line(line);
    }
    try {
      await this.game(this.seed());
    } catch {
      // A value that no check expects.
      this.found(this.at, "form");
    }
    this.end();
    this.findings = this.findings.sort((one, other) => (one.seq ?? Infinity) - (other.seq ?? Infinity)).slice(0, MOST);
  }

  /** Form, order, chain and time of an event. @param {import("./pieces.js").EventLine} line */
  line({ seq, hash, body }) {
    if (seq !== this.last + 1) this.found(this.last + 1, "order");
    this.last = seq;
    const right = hex(sha256(unhex(this.head), utf8(body)));
    if (hash !== right) this.found(seq, "chain");
    this.counts.chain += 1;
    this.head = isHex(64)(hash) ? hash : right;
    const value = parsed(body);
    if (value === undefined) return this.found(seq, "form");
    if (tried(() => canonical(value)) !== body) return this.found(seq, "canonical");
    if (!isBody(value)) return this.found(seq, "form");
    const { game, seq: own, at, actor, event } = value;
    if (game !== this.history.header.game || own !== seq) this.found(seq, "order");
    const latest = this.events.at(-1)?.at ?? "";
    if (at < latest) this.found(seq, "time");
    if (this.whole === this.events.length && seq === this.whole + 1) this.whole = seq;
    this.events.push({ seq, at: at < latest ? latest : at, actor, event, hash });
  }

  /** The seed that the server revealed; null if there is none, or if it does not fit the last commitment. */
  seed() {
    const committed = this.events.findLast(
      ({ seq, event }) => event.type === (seq === 1 ? "game_created" : "opening_failed"),
    );
    const { type, server_seed: seed } = this.events.at(-1)?.event ?? {};
    if (!committed || !OVER.has(type)) return null;
    this.counts.commitments += 1;
    const isForm = isHex(64)(seed);
    if (isForm && hex(sha256(unhex(seed))) === committed.event.commitment) return seed;
    this.found(this.last, isForm ? "commitment" : "form", "commitments");
    return null;
  }

  /** The table, its start, and every deal, up to the first event that breaks a rule. @param {string | null} seed */
  async game(seed) {
    const [first, ...events] = this.events.slice(0, this.whole);
    if (!first) return;
    const { type, ruleset, algorithm, opening_seconds: opening, turn_seconds: turn } = first.event;
    const { game, ruleset: id } = this.history.header;
    const rules = rulesOf(ruleset);
    if (type !== "game_created") return this.found(1, "command", "seeds");
    if (rules === null || ruleset.id !== id) return this.found(1, "ruleset", "deals");
    if (algorithm !== ALGORITHM) return this.found(1, "deal", "deals");
    const longest = turn === null ? 86_400 : Math.max(15, Number(turn));
    if (!(Number.isInteger(opening) && opening >= 15 && opening <= longest)) return this.found(1, "form", "seeds");
    if (!same(first.actor, { place: 0 })) return this.found(1, "actor", "seeds");
    const table = new Table(first.event);
    let compared = 0;
    const deals = new Deals(rules, (round, attempt) => {
      if (seed === null) return null;
      compared += 1;
      return shuffled(rules, { alg: ALGORITHM, game, seeds: table.start.client_seeds, round, attempt }, seed);
    });
    for (const [index, read] of events.entries()) {
      this.at = read.seq;
      await pause(index);
      const part = table.stage === "started" ? deals : table;
      const rule = part.take(read);
      if (rule !== null) return this.found(read.seq, rule, part === deals ? "deals" : "seeds");
      if (read.event.type === "seed_opened") this.counts.seeds += 1;
    }
    if (table.stage === "started") this.counts.seeds += table.start.client_seeds.filter((one) => one !== null).length;
    if (this.whole === this.history.events.length) this.counts.deals = compared;
  }

  /** The end fits the events, and is signed. */
  end() {
    const {
      header: { game, ruleset, status },
      end,
      isMalformed,
    } = this.history;
    if (isMalformed) return this.found(this.last + 1, "form");
    if (end === null) return this.found(this.last + 1, "unfinished");
    if (end.events !== this.last) this.found(this.last + 1, "head");
    if (end.head !== this.head) this.found(this.last, "head");
    const ended = this.events.at(-1)?.event;
    const right = OVER.get(ended?.type) ?? "running";
    if (status !== right) this.found(this.last + 1, "unfinished");
    const { events, head, standings, signature } = end;
    if (!same(right === "finished" ? ended.standings : null, standings)) this.found(this.last, "standings");
    if (this.keys === null || right === "running") return;
    this.counts.signature += 1;
    const key = this.keys.get(signature?.kid);
    const statement = `estimation/game-end/v1\n${canonical({ game, ruleset, head, events, standings })}`;
    if (!key || !isSigned(unhex(signature.value), utf8(statement), key)) this.found(null, "signature", "signature");
  }
}
