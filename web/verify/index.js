// Verifies histories and bundles of games in the browser, without a server.

import { areProofs, LogCheck, UNCHECKED } from "./bundle.js";
import { HistoryCheck } from "./history.js";
import { read } from "./pieces.js";
import { base64url, canonical, sha256, unbase64, utf8 } from "./values.js";

/** @typedef {import("./history.js").Finding} Finding */
/** @typedef {import("./history.js").CheckId} CheckId */
/** `isMalformed` and `isCut` are about what is outside of the games. @typedef {Awaited<ReturnType<typeof verify>>} Report */
/** @typedef {Report["games"][number]} GameReport */

/**
 * @param {string} text histories or bundles, as JSON or as lines
 * @param {object} [options]
 * @param {any} [options.keys] the record keys as in `/.well-known/jwks.json`
 * @param {boolean} [options.isPinned] whether `keys` also replace the record keys of a bundle
 * @param {string[]} [options.logKeys] verifier keys of logs, instead of those of a bundle with the same name
 * @param {import("./bundle.js").Kept | null} [options.kept] what a player kept of the game
 */
export async function verify(text, { keys = null, isPinned = true, logKeys = [], kept = null } = {}) {
  const { histories, isMalformed, isCut } = read(text);
  const games = [];
  for (const history of histories) {
    const { proofs, header } = history;
    const isOwn = areProofs(proofs) && !(keys && isPinned);
    const given = isOwn ? proofs.jwks : keys;
    const check = new HistoryCheck(history, given === null ? null : recordKeys(given));
    await check.run();
    const log = new LogCheck(check, logKeys);
    if (proofs !== undefined) log.proofs(proofs);
    if (kept) log.kept(kept);
    const { findings, events, counts } = check;
    const checks = Object.entries(counts).map(([id, count]) => {
      const own = findings.filter((finding) => finding.check === id);
      const state =
        own.length > 0 ? (own.every(isUnchecked) ? "unchecked" : "failed") : count > 0 ? "passed" : "absent";
      return {
        id: /** @type {CheckId} */ (id),
        state: /** @type {"passed" | "failed" | "unchecked" | "absent"} */ (state),
        count,
      };
    });
    const isPassed = (/** @type {CheckId} */ name) => checks.some(({ id, state }) => id === name && state === "passed");
    games.push({
      id: header.game,
      ruleset: header.ruleset,
      events,
      checks,
      findings,
      verdict: verdictOf(history, findings),
      isBundle: proofs !== undefined,
      /**
       * The keys that are only in the file: the `kid` of the record key, verifier keys of the log of the end.
       * @type {string[]}
       */
      fileKeys: [...(isOwn && isPassed("signature") ? [history.end?.signature.kid] : []), ...log.fileKeys],
      /** Whether the player kept a proof of the start that fits. */
      isStartKept: kept?.start !== undefined && isPassed("kept"),
    });
  }
  return { games, isMalformed, isCut };
}

/**
 * `cut`: the text breaks off, and nothing before is wrong; `unchecked`: nothing that was checked is wrong.
 * @param {import("./pieces.js").History} history
 * @param {Finding[]} findings
 * @returns {"sound" | "broken" | "cut" | "unchecked" | "running"}
 */
function verdictOf({ header, events, isCut }, findings) {
  if (findings.length === 0) return header.status === "running" ? "running" : "sound";
  // The one finding of a text that breaks off is that its end is missing.
  const last = findings.every(({ seq, check }) => check === "chain" && seq === events.length + 1);
  if (isCut && last && findings.every(({ rule }) => ["form", "unfinished"].includes(rule))) return "cut";
  return findings.every(isUnchecked) ? "unchecked" : "broken";
}

/** @param {Finding} finding */
const isUnchecked = ({ rule }) => UNCHECKED.includes(rule);

/** The record keys of a key set, by their thumbprints (RFC 7638). @param {any} jwks @returns {Map<string, Uint8Array>} */
function recordKeys(jwks) {
  const keys = new Map();
  for (const key of Array.isArray(jwks?.keys) ? jwks.keys : []) {
    const { kty, crv, x, "estimation:purpose": purpose } = key ?? {};
    const isKey = kty === "OKP" && crv === "Ed25519" && purpose === "record" && typeof x === "string";
    if (!isKey || !/^[\w-]{42}[AEIMQUYcgkosw048]$/.test(x)) continue;
    keys.set(
      base64url(sha256(utf8(canonical({ crv, kty, x })))),
      unbase64(`${x.replaceAll("-", "+").replaceAll("_", "/")}=`),
    );
  }
  return keys;
}
