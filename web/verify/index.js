// Verifies histories of games in the browser, without a server.

import { base64url, canonical, sha256, unbase64, utf8 } from "./bytes.js";
import { HistoryCheck } from "./history.js";
import { read } from "./pieces.js";
import { isInLog } from "./proof.js";

/** @typedef {import("./history.js").Finding} Finding */
/** @typedef {import("./history.js").ReadEvent} ReadEvent */
/** @typedef {{ id: import("./history.js").CheckId, state: "passed" | "failed" | "absent", count: number }} Check */
/** @typedef {{ id: string, ruleset: string, events: ReadEvent[], checks: Check[], findings: Finding[], verdict: "sound" | "broken" | "running" }} GameReport */
/** @typedef {{ games: GameReport[], isMalformed: boolean }} Report `isMalformed`: a part outside of the games cannot be read */

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
    const findings = await check.run();
    const { game: id, ruleset, status } = history.header;
    const { events, counts } = check;
    if (log !== null && !isInLog(log.proof, log.key, { game: id, events: check.last, head: check.head })) findings.push({ seq: null, rule: "log", check: "log" });
    const checks = Object.entries({ ...counts, log: log === null ? 0 : 1 }).map(([name, count]) => {
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
