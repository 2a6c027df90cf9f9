// What this browser keeps of the games that it played: the promise of the start, a proof of the start from the public log, the
// last head, and the heads before it opened a seed. A browser that stores nothing compares nothing later.

import { api, pause } from "../api/client.js";
import { isTransient, Problem } from "../api/problem.js";
import { Shelf } from "./stored.js";

const games = new Shelf("estimation.kept", 50);

/** The pauses before the proof of a start is requested. The public log has a start after some seconds. */
const PAUSES_MS = [4_000, 8_000, 16_000, 32_000];

/** The games whose proof this page requests, or did not get. @type {Set<string>} */
const requested = new Set();

/**
 * Keeps the promise and the head of a view, unless a later head is kept. Of most events a stream says 16 digits of the
 * hash, which prove too little.
 * @param {GameView} view
 */
export function keep({ id, status, you, log, head }) {
  if (status === "lobby" || you === null || head.hash.length === 16) return;
  const before = games.get(id);
  if (!(before?.head?.seq >= head.seq)) games.put(id, { ...before, log: before?.log ?? log, head });
}

/**
 * Keeps the head of a view before the player opens a seed. Who has all seeds could otherwise write the events before with
 * another seed of the server.
 * @param {GameView} view
 */
export function keepOpening({ id, head }) {
  const before = games.get(id);
  games.put(id, { ...before, openings: [...(before?.openings ?? []), head] });
}

/** Keeps a proof of the start during the game: one got later does not show when the log had the start. @param {Game} game */
export async function keepStart(game) {
  const { id, closing } = game;
  if (game.view?.status !== "playing" || requested.has(id)) return;
  const kept = keptOf(id);
  if (kept === null || kept.start !== undefined) return;
  requested.add(id);
  for (const time of PAUSES_MS) {
    await pause(time);
    if (game.view.status !== "playing") return;
    // The next page of the game requests it.
    if (closing.signal.aborted) return void requested.delete(id);
    try {
      const start = await api("GET", "/v1/games/{id}/proof", { path: { id }, query: { entry: "start" } });
      const now = games.get(id);
      if (now && game.view.status === "playing") games.put(id, { ...now, start });
      return;
    } catch (error) {
      if (!isTransient(error) && !(error instanceof Problem && error.code === "not-logged")) return;
    }
  }
}

/** What was kept of a game. @param {string} id @returns {import("../verify/bundle.js").Kept | null} */
export const keptOf = (id) => games.get(id) ?? null;
