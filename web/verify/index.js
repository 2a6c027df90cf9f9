// Verifies histories and bundles of games in the browser, without a server.

import { base64url, canonical, sha256, unbase64, utf8 } from "./bytes.js";
import { areProofs, LogCheck, UNCHECKED } from "./bundle.js";
import { HistoryCheck } from "./history.js";
import { read } from "./pieces.js";

/** @typedef {import("./history.js").Finding} Finding */
/** @typedef {import("./history.js").ReadEvent} ReadEvent */
/** @typedef {import("./bundle.js").Kept} Kept */
/** @typedef {{ id: import("./history.js").CheckId, state: "passed" | "failed" | "unchecked" | "absent", count: number }} Check */
/**
 * @typedef {object} GameReport
 * @property {string} id
 * @property {string} ruleset
 * @property {ReadEvent[]} events
 * @property {Check[]} checks
 * @property {Finding[]} findings
 * @property {"sound" | "broken" | "cut" | "unchecked" | "running"} verdict `cut`: the text breaks off, and nothing before is wrong; `unchecked`: nothing that was checked is wrong
 * @property {boolean} isBundle whether the file has proofs
 * @property {string[]} fileKeys the keys that are only in the file: the `kid` of the record key, verifier keys of the log of the end
 * @property {boolean} isStartKept whether the player kept a proof of the start that fits
 */
/** @typedef {{ games: GameReport[], isMalformed: boolean, isCut: boolean }} Report `isMalformed`: a part outside of the games cannot be read; `isCut`: because the text breaks off there */

/**
 * @param {string} text histories or bundles, as JSON or as lines
 * @param {object} [options]
 * @param {any} [options.keys] the record keys as in `/.well-known/jwks.json`
 * @param {boolean} [options.isPinned] whether `keys` also replace the record keys of a bundle
 * @param {string[]} [options.logKeys] verifier keys of logs, instead of those of a bundle with the same name
 * @param {Kept | null} [options.kept] what a player kept of the game
 * @returns {Promise<Report>}
 */
export async function verify(text, { keys = null, isPinned = true, logKeys = [], kept = null } = {}) {
  const { histories, isMalformed, isCut } = read(text);
  /** @type {GameReport[]} */
  const games = [];
  for (const history of histories) {
    const { proofs, header } = history;
    const isOwn = areProofs(proofs) && !(keys && isPinned);
    const given = isOwn ? proofs.jwks : keys;
    const check = new HistoryCheck(history, given === null ? null : recordKeys(given));
    const findings = await check.run();
    const log = new LogCheck(check, logKeys);
    if (proofs !== undefined) log.proofs(proofs);
    if (kept) log.kept(kept);
    findings.push(...log.findings);
    const checks = Object.entries({ ...check.counts, ...log.counts }).map(([name, count]) => {
      const own = findings.filter((finding) => finding.check === name);
      const state = own.length > 0 ? (own.every(isUnchecked) ? "unchecked" : "failed") : count > 0 ? "passed" : "absent";
      return /** @type {Check} */ ({ id: name, state, count });
    });
    const isSigned = isOwn && checks.some(({ id, state }) => id === "signature" && state === "passed");
    games.push({
      id: header.game,
      ruleset: header.ruleset,
      events: check.events,
      checks,
      findings,
      verdict: verdictOf(history, findings),
      isBundle: proofs !== undefined,
      fileKeys: [...(isSigned ? [history.end?.signature.kid] : []), ...log.fileKeys],
      isStartKept: kept?.start !== undefined && checks.some(({ id, state }) => id === "kept" && state === "passed"),
    });
  }
  return { games, isMalformed, isCut };
}

/** @param {import("./pieces.js").History} history @param {Finding[]} findings @returns {GameReport["verdict"]} */
function verdictOf({ header, events, isCut }, findings) {
  if (findings.length === 0) return header.status === "running" ? "running" : "sound";
  // The one finding of a text that breaks off is that its end is missing.
  const isOfCut = (/** @type {Finding} */ { seq, check, rule }) => isCut && check === "chain" && seq === events.length + 1 && ["form", "unfinished"].includes(rule);
  if (findings.every(isOfCut)) return "cut";
  return findings.every(isUnchecked) ? "unchecked" : "broken";
}

/** @param {Finding} finding */
const isUnchecked = ({ rule }) => UNCHECKED.includes(rule);

/** The record keys of a key set, by their thumbprints (RFC 7638). @param {any} jwks @returns {Map<string, Uint8Array>} */
function recordKeys(jwks) {
  const keys = new Map();
  for (const key of Array.isArray(jwks?.keys) ? jwks.keys : []) {
    const { kty, crv, x, "estimation:purpose": purpose } = key ?? {};
    if (kty !== "OKP" || crv !== "Ed25519" || purpose !== "record" || typeof x !== "string" || !/^[\w-]{42}[AEIMQUYcgkosw048]$/.test(x)) continue;
    keys.set(base64url(sha256(utf8(canonical({ crv, kty, x })))), unbase64(`${x.replaceAll("-", "+").replaceAll("_", "/")}=`));
  }
  return keys;
}
