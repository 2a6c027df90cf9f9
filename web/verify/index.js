// Verifies histories of games in the browser, without a server.

import { base64url, canonical, hex, same, sha256, unbase64, utf8 } from "./bytes.js";
import { HistoryCheck } from "./history.js";
import { read } from "./pieces.js";
import { entryOf } from "./proof.js";

/** @typedef {import("./history.js").Finding} Finding */
/** @typedef {import("./history.js").ReadEvent} ReadEvent */
/** @typedef {{ id: import("./history.js").CheckId, state: "passed" | "failed" | "absent", count: number }} Check */
/** @typedef {{ id: string, ruleset: string, events: ReadEvent[], checks: Check[], findings: Finding[], verdict: "sound" | "broken" | "running" }} GameReport */
/** @typedef {{ games: GameReport[], isMalformed: boolean }} Report `isMalformed`: a part outside of the games cannot be read */

/** Proofs of the end and of the start, null for one that is not there, with the verifier key of the log. @typedef {{ key: string, end: string | null, start: string | null }} Proofs */
/** What a player kept: the promise of the start, and a head. @typedef {{ log?: { leaf: string }, head: { seq: number, hash: string } }} Kept */

/**
 * @param {string} text a history file, as JSON or as lines
 * @param {{ keys?: any, log?: Proofs | null, kept?: Kept | null }} [options] the record keys as in `/.well-known/jwks.json`,
 *     the proofs of the public log, and what a player kept of the game
 * @returns {Promise<Report>}
 */
export async function verify(text, { keys = null, log = null, kept = null } = {}) {
  const { histories, isMalformed } = read(text);
  const known = keys === null ? null : recordKeys(keys);
  /** @type {GameReport[]} */
  const games = [];
  for (const history of histories) {
    const check = new HistoryCheck(history, known);
    const findings = await check.run();
    const { game: id, ruleset, status } = history.header;
    const { events, counts } = check;
    const start = log?.start ? entryOf(log.start, log.key) : null;
    if (log?.end && !isEnd(entryOf(log.end, log.key)?.said, check)) findings.push({ seq: null, rule: "log", check: "log" });
    if (log?.start && !isStart(start?.said, check)) findings.push({ seq: null, rule: "log", check: "start" });
    if (kept && !isAsKept(kept, check, start)) findings.push({ seq: null, rule: "log", check: "kept" });
    const more = { log: log?.end ? 1 : 0, start: log?.start ? 1 : 0, kept: kept ? 1 : 0 };
    const checks = Object.entries({ ...counts, ...more }).map(([name, count]) => {
      const isFailed = findings.some((finding) => finding.check === name);
      return /** @type {Check} */ ({ id: name, state: isFailed ? "failed" : count > 0 ? "passed" : "absent", count });
    });
    const verdict = findings.length > 0 ? "broken" : status === "running" ? "running" : "sound";
    games.push({ id, ruleset, events, checks, findings, verdict });
  }
  return { games, isMalformed };
}

/** The record keys of a key set, by their thumbprints (RFC 7638). @param {any} jwks @returns {Map<string, Uint8Array>} */
function recordKeys(jwks) {
  const keys = new Map();
  for (const key of Array.isArray(jwks?.keys) ? jwks.keys : []) {
    const { kty, crv, x, "estimation:purpose": purpose } = key ?? {};
    if (kty !== "OKP" || crv !== "Ed25519" || purpose !== "record" || typeof x !== "string" || !/^[\w-]{43}$/.test(x)) continue;
    keys.set(base64url(sha256(utf8(canonical({ crv, kty, x })))), unbase64(x));
  }
  return keys;
}

/** Whether an entry of the log is the end of a history. @param {any} said @param {HistoryCheck} check */
function isEnd(said, { history, last, head }) {
  return said?.type === "end" && said.game === history.header.game && said.events === last && said.head === head;
}

/** Whether an entry of the log states the start of a history. @param {any} said @param {HistoryCheck} check */
function isStart(said, { history, events }) {
  const started = events.find(({ event }) => event.type === "game_started");
  const before = events.filter(({ seq, event }) => seq < (started?.seq ?? 0) && typeof event.commitment === "string" && event.type !== "seed_committed");
  if (said?.type !== "start" || !started || !Array.isArray(said.seats) || !Array.isArray(started.event.players)) return false;
  const expected = {
    type: "start",
    game: history.header.game,
    at: started.at,
    started: started.hash,
    commitment: before.at(-1)?.event.commitment ?? null,
    ruleset: hex(sha256(utf8(canonical(events[0]?.event.ruleset ?? null)))),
    seats: said.seats,
  };
  const people = started.event.players.map((/** @type {any} */ player) => player?.kind === "human");
  return same(said, expected) && same(said.seats.map((/** @type {unknown} */ seat) => seat !== null), people);
}

/** Whether the history has the kept head, and the log the promised start. @param {Kept} kept @param {HistoryCheck} check @param {import("./proof.js").LogEntry | null} start */
function isAsKept({ log, head }, { events }, start) {
  const hasHead = events.some(({ seq, hash }) => seq === head.seq && hash === head.hash);
  return hasHead && (!log || !start || start.leaf === log.leaf);
}
