// The record of a game that is over: loaded, and verified in this browser.

import { api, filled, pause, request } from "../api/client.js";
import { isTransient, Problem } from "../api/problem.js";
import { session } from "../api/session.js";
import { keptOf } from "./kept.js";

/** @typedef {Awaited<ReturnType<typeof load>>} Record */

/** How often a record is loaded until the public log has the end, which takes some seconds, and how long between. */
const ATTEMPTS = 10;
const PAUSE_MS = 3_000;

/**
 * Loads and verifies a game, also against what this browser kept of it. The record has no names of players.
 * @param {string} id
 */
async function load(id) {
  const path = { id };
  const [{ text, keys, isLogged }, view] = await Promise.all([
    bundle(path),
    session.isOpen ? api("GET", "/v1/games/{id}", { path }).catch(() => null) : null,
  ]);
  const names = view?.seats.flatMap(({ player }) => (player?.id ? [[player.id, player.name]] : [])) ?? [];
  const bots = view?.seats.map(({ player }) => (player?.kind === "bot" ? player.name : null)) ?? [];
  // The verifier is large, and a table needs it at its end only.
  const { verify } = await import("../verify/index.js");
  const report = await verify(text, { keys, kept: keptOf(id) });
  const [game, ...others] = report.games;
  const verdict = game?.id === id && others.length === 0 ? game.verdict : "broken";
  return { report, known: Object.fromEntries(names), bots, text, verdict, isLogged };
}

/**
 * The bundle of a game. Until the public log has the end: the history, and the keys of the service.
 * @param {{ id: string }} path
 */
async function bundle(path) {
  try {
    // Verified and saved is the same text.
    return { text: JSON.stringify(await api("GET", "/v1/games/{id}/bundle", { path })), keys: null, isLogged: true };
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 409) throw error;
  }
  const [{ data: text }, keys] = await Promise.all([
    request("GET", filled("/v1/games/{id}/history", { path }), { headers: { Accept: "application/x-ndjson" } }),
    api("GET", "/.well-known/jwks.json"),
  ]);
  return { text, keys, isLogged: false };
}

/**
 * The record of a game, loaded again until the public log has the end: before, the game may not be signed.
 * @param {string} id @param {AbortSignal} leaving @returns {AsyncGenerator<Record>}
 * @throws {Problem | import("../api/problem.js").Offline} the server refused the record, or did not answer
 */
export async function* records(id, leaving) {
  for (let attempt = 1; !leaving.aborted; attempt += 1) {
    try {
      const record = await load(id);
      if (leaving.aborted) return;
      yield record;
      if (record.isLogged || attempt >= ATTEMPTS) return;
    } catch (error) {
      if (!isTransient(error) || attempt >= ATTEMPTS) throw error;
    }
    await pause(PAUSE_MS);
  }
}
