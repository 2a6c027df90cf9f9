// The proofs of a bundle: that the public log has the start and the end of a game. docs/specification.md, "The public log".

import { checkpointOf, isSignedBy, proven } from "./proof.js";
import {
  canonical,
  hex,
  isObject,
  isText,
  isTime,
  listOf,
  nullOr,
  objectOf,
  same,
  sha256,
  tried,
  utf8,
} from "./values.js";

/** @typedef {import("./history.js").HistoryCheck} HistoryCheck */
/** @typedef {import("./history.js").CheckId} CheckId */
/** @typedef {import("./proof.js").Checkpoint} Checkpoint */

/** @typedef {{ start: string | null, end: string, origins: string[], log_keys: string[], jwks: { keys: any[] } }} Proofs */
/** The number of an event, and its hash or the first digits of it. @typedef {{ seq: number, hash: string }} Head */
/**
 * What a player kept: the promise of the start, the last head, those before the player opened a seed, and a proof of the start.
 * @typedef {{ log?: { leaf: string }, head?: Head, openings?: Head[], start?: string }} Kept
 */

/** Findings that prove no change: another form, no known key of the log, nothing that leads to the log of the start. */
export const UNCHECKED = ["proofs-form", "log-key", "origins"];

const FORM = objectOf({
  start: nullOr(isText),
  end: isText,
  origins: listOf(isText, 100),
  log_keys: listOf(isText, 400),
  jwks: objectOf({ keys: listOf(isObject) }),
});

/** How a new log begins: with the last checkpoint of the former one. */
const isOrigin = objectOf({ type: (type) => type === "origin", checkpoint: isText });

/** @param {any} value @returns {value is Proofs} */
export const areProofs = (value) => FORM(value);

/** Compares a history with proofs, and with what a player kept. */
export class LogCheck {
  /** Keys of the file that alone vouch for a checkpoint of the log of the end. @type {Set<string>} */ fileKeys =
    new Set();
  /** The root of each log and size. @type {Map<string, string>} */ roots = new Map();
  /** The start that the log has. @type {import("./proof.js").Proven | null} */ start = null;

  /**
   * @param {HistoryCheck} check
   * @param {string[]} pinned verifier keys of logs, instead of those of the file with the same name
   */
  constructor(check, pinned) {
    const { proofs } = check.history;
    this.check = check;
    this.pinned = pinned;
    this.given = areProofs(proofs) ? proofs.log_keys : [];
  }

  /** Each finding stands once. @param {CheckId} check */
  found(check, rule = "log") {
    if (!this.check.findings.some((one) => one.check === check && one.rule === rule))
      this.check.found(null, rule, check);
  }

  /** @param {unknown} proofs */
  proofs(proofs) {
    this.check.counts.log += 1;
    if (!areProofs(proofs)) return this.found("log", "proofs-form");
    const end = this.entry(proofs.end, "log");
    if (end && !isEnd(end.entry, this.check)) this.found("log");
    if (end) this.signature(end.checkpoint, "log");
    const isStarted = this.check.events.some(({ event }) => event.type === "game_started");
    if (isStarted !== (proofs.start !== null)) return this.found("start", "proofs-form");
    if (proofs.start === null) return proofs.origins.length > 0 ? this.found("start", "origins") : undefined;
    this.start = this.entry(proofs.start, "start");
    if (!this.start || !end) return;
    this.check.counts.start += 1;
    if (!isStart(this.start.entry, this.check)) this.found("start");
    this.origins(proofs.origins, end.checkpoint, this.start.checkpoint);
  }

  /** What a proof shows; null with a finding. @param {string} proof @param {CheckId} check */
  entry(proof, check) {
    const entry = proven(proof);
    if (typeof entry === "string") return this.found(check, entry) ?? null;
    this.root(entry.checkpoint, check);
    return entry;
  }

  /** A log has one root at each size. @param {Checkpoint} checkpoint @param {CheckId} check */
  root({ origin, size, root }, check) {
    const at = `${origin} ${size}`;
    if ((this.roots.get(at) ?? root) !== root) this.found(check);
    this.roots.set(at, root);
  }

  /**
   * The log signed a checkpoint: by the first of the keys with its name that the checkpoint has a signature of.
   * @param {Checkpoint} checkpoint
   * @param {CheckId} check
   * @param {boolean} [isVouched] whether a later log vouches for the checkpoint, so that no key need be known
   */
  signature(checkpoint, check, isVouched = false) {
    const ofLog = (/** @type {string} */ key) => key.startsWith(`${checkpoint.origin}+`);
    const pinned = this.pinned.filter(ofLog);
    const keys = pinned.length > 0 ? pinned : this.given.filter(ofLog);
    const signed = keys.find((key) => isSignedBy(checkpoint, key) !== null);
    if (signed === undefined) {
      if (!isVouched || keys.length > 0) this.found(check, "log-key");
    } else if (!isSignedBy(checkpoint, signed)) {
      this.found(check);
    } else if (pinned.length === 0 && !isVouched && check !== "kept") {
      this.fileKeys.add(signed);
    }
  }

  /**
   * Leads from the log of the end to that of the start.
   * @param {string[]} origins
   * @param {Checkpoint} end
   * @param {Checkpoint} start
   */
  origins(origins, end, start) {
    if (end.origin === start.origin) {
      if (origins.length > 0) this.found("start", "origins");
      return this.signature(start, "start");
    }
    this.signature(start, "start", true);
    let log = end;
    for (const [at, proof] of origins.entries()) {
      const first = this.entry(proof, "start");
      if (!first) return;
      if (first.checkpoint.origin !== log.origin) return this.found("start", "origins");
      if (at === 0) this.signature(first.checkpoint, "start");
      const isNamed = at === 0 || first.checkpoint.text === log.text;
      const isFirst = isNamed && first.index === 0 && !first.isSealed && isOrigin(first.entry);
      const former = isFirst ? tried(() => checkpointOf(first.entry.checkpoint)) : undefined;
      if (!former) return this.found("start");
      log = former;
      this.root(log, "start");
      this.signature(log, "start", true);
      if (log.origin !== start.origin) continue;
      if (log.text !== start.text) return this.found("start");
      return at < origins.length - 1 ? this.found("start", "origins") : undefined;
    }
    this.found("start", "origins");
  }

  /** History and log have what a player kept: also the kept proof is of the promised start. @param {Kept} kept */
  kept({ log, head, openings = [], start: proof }) {
    this.check.counts.kept += 1;
    for (const one of [...openings, ...(head ? [head] : [])]) {
      if (!this.check.events.some(({ seq, hash }) => seq === one.seq && hash.startsWith(one.hash))) this.found("kept");
    }
    if (log && this.start && this.start.leaf !== log.leaf) this.found("kept");
    const start = proof === undefined ? null : this.entry(proof, "kept");
    if (!start) return;
    if (!isStart(start.entry, this.check) || start.leaf !== (log ?? this.start ?? start).leaf) this.found("kept");
    // Without a bundle no key is known yet.
    this.signature(start.checkpoint, "kept", this.check.counts.log === 0);
  }
}

/** Whether an entry of the log is the end of a history. @param {any} entry @param {HistoryCheck} check */
function isEnd(entry, { history, events, last, head }) {
  const isLate = isTime(entry?.at) && entry.at >= (events.at(-1)?.at ?? "");
  return isLate && same(entry, { type: "end", game: history.header.game, at: entry.at, events: last, head });
}

/** Whether an entry of the log states the start of a history. @param {any} said @param {HistoryCheck} check */
function isStart(said, { history, events }) {
  const started = events.find(({ event }) => event.type === "game_started");
  if (!started || !Array.isArray(said?.seats) || !Array.isArray(started.event.players)) return false;
  const {
    at,
    hash,
    event: { players },
  } = started;
  const committed = events.filter(
    ({ seq, event }) => seq < started.seq && isText(event.commitment) && event.type !== "seed_committed",
  );
  const commitment = committed.at(-1)?.event.commitment ?? null;
  const ruleset = hex(sha256(utf8(canonical(events[0]?.event.ruleset ?? null))));
  const people = players.map((/** @type {any} */ player) => player?.kind === "human");
  return (
    same(said, {
      type: "start",
      game: history.header.game,
      at,
      started: hash,
      commitment,
      ruleset,
      seats: said.seats,
    }) &&
    same(
      said.seats.map((/** @type {unknown} */ seat) => seat !== null),
      people,
    )
  );
}
