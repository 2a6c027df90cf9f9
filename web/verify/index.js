// Verifies histories of games in the browser, without a server.

import { base64url, canonical, sha256, unbase64, utf8 } from "./bytes.js";
import { HistoryCheck } from "./history.js";
import { read } from "./pieces.js";
import { isInLog } from "./proof.js";

/** @typedef {import("./history.js").Finding} Finding */
/** @typedef {import("./history.js").ReadEvent} ReadEvent */
/** @typedef {{ id: "chain" | "commitments" | "seeds" | "deals" | "signature" | "log", state: "passed" | "failed" | "absent", count: number }} Check */
/** @typedef {{ id: string, ruleset: string, events: ReadEvent[], checks: Check[], findings: Finding[], verdict: "sound" | "broken" | "running" }} GameReport */
/** @typedef {{ games: GameReport[], isMalformed: boolean, notChecked: string[] }} Report `isMalformed`: a part outside of the games cannot be read */

/** What only the complete verifier, `estimation audit`, checks. Each has a text. */
const NOT_CHECKED = ["rules", "scores", "actors", "clock", "games", "witnesses"];

/** The rules whose findings belong to a check. All other rules belong to the chain. @type {Record<string, Check["id"]>} */
const CHECK_OF = { commitment: "commitments", command: "seeds", deal: "deals", salt: "deals", signature: "signature", log: "log" };

/**
 * @param {string} text a history file, as JSON or as lines
 * @param {{ keys?: any, log?: { proof: string, key: string } | null }} [options] the record keys as in
 *     `/.well-known/jwks.json`, and the proof of the public log with the log's verifier key
 * @returns {Promise<Report>}
 */
export async function verify(text, { keys = null, log = null } = {}) {
  const { histories, isMalformed } = read(text);
  const known = keys === null ? null : recordKeys(keys);
  /** @type {GameReport[]} */
  const games = [];
  for (const history of histories) {
    const check = new HistoryCheck(history, known);
    await check.run();
    const { game: id, ruleset, status } = history.header;
    const { findings, events, counts } = check;
    if (log !== null && !isInLog(log.proof, log.key, { game: id, events: check.last, head: check.head })) findings.push({ seq: null, rule: "log" });
    findings.sort((one, other) => (one.seq ?? Infinity) - (other.seq ?? Infinity));
    const checks = Object.entries({ ...counts, log: log === null ? 0 : 1 }).map(([name, count]) => {
      const isFailed = findings.some(({ rule }) => (CHECK_OF[rule] ?? "chain") === name);
      return /** @type {Check} */ ({ id: name, state: isFailed ? "failed" : count > 0 ? "passed" : "absent", count });
    });
    const verdict = findings.length > 0 ? "broken" : status === "running" ? "running" : "sound";
    games.push({ id, ruleset, events, checks, findings, verdict });
  }
  return { games, isMalformed, notChecked: NOT_CHECKED };
}

/**
 * The record keys of a key set, by their thumbprints (RFC 7638).
 * @param {any} jwks
 * @returns {Map<string, Uint8Array>}
 */
function recordKeys(jwks) {
  const keys = new Map();
  for (const { kty, crv, x, "estimation:purpose": purpose } of jwks?.keys ?? []) {
    if (kty !== "OKP" || crv !== "Ed25519" || purpose !== "record" || typeof x !== "string") continue;
    keys.set(base64url(sha256(utf8(canonical({ crv, kty, x })))), unbase64(x));
  }
  return keys;
}
