// The record of a game that is over: loaded, and verified in this browser.

import { request } from "../api/client.js";
import { session } from "../api/session.js";
import { verify } from "../verify/index.js";
import { forget, keptOf } from "./kept.js";

/** @typedef {import("../schema").components["schemas"]["GameView"]} GameView */

/**
 * Loads and verifies a game, also against what this browser kept of it. The names of the players are not in the record.
 * @param {string} id
 */
export async function load(id) {
  const path = `/v1/games/${id}`;
  const get = async (/** @type {string} */ from, /** @type {Record<string, string>} */ headers = {}) =>
    (await request("GET", from, { headers })).data;
  // The public log has the game some seconds after its end. A table that never started has no start.
  const proof = (/** @type {string} */ entry) => /** @type {Promise<string | null>} */ (get(`${path}/proof?entry=${entry}`).catch(() => null));
  const [text, keys, logKeys, end, start, view] = await Promise.all([
    get(`${path}/history`, { Accept: "application/x-ndjson" }),
    get("/.well-known/jwks.json"),
    get("/log/key"),
    proof("end"),
    proof("start"),
    session.isOpen ? /** @type {Promise<GameView>} */ (get(path)).catch(() => null) : null,
  ]);
  const names = view?.seats.flatMap(({ player }) => (player?.id ? [[player.id, player.name]] : [])) ?? [];
  // The first line is the key of the log, the second one that of its witness.
  const log = { key: logKeys.split("\n")[0], end, start };
  const report = await verify(text, { keys, log, kept: keptOf(id) });
  const isSound = report.games.length === 1 && report.games[0]?.verdict === "sound";
  // Until the log has the end, the game may not be signed.
  const isLogged = end !== null;
  if (isSound && isLogged) forget(id);
  return { report, known: Object.fromEntries(names), text, isSound, isLogged };
}
