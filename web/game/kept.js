// What this browser keeps of the games that it played: the promise of the start, a proof of the start from the public log, the
// last head, and the heads before it opened a seed. A browser that stores nothing compares nothing later.

import { pause, request } from "../api/client.js";
import { isTransient, Problem } from "../api/problem.js";
import { store, stored } from "./stored.js";

/** @typedef {import("../schema").components["schemas"]["GameView"]} GameView */
/** @typedef {{ log?: GameView["log"], head?: GameView["head"], openings?: GameView["head"][], start?: string }} Kept */

const GAMES = "estimation.kept";

/** How many games are kept: the ones that changed last. */
const MOST = 50;

/** The pauses before the proof of a start is requested. The public log has a start after some seconds. */
const PAUSES_MS = [4_000, 8_000, 16_000, 32_000];

/** The games whose proof this page requests, or did not get. @type {Set<string>} */
const requested = new Set();

/** Keeps the promise and the head of a view, unless a later head is kept. @param {GameView} view */
export function keep({ id, status, you, log, head }) {
  if (status === "lobby" || you === null) return;
  const { [id]: before, ...others } = stored(GAMES);
  if (before?.head?.seq >= head.seq) return;
  store(GAMES, { ...others, [id]: { ...before, log: before?.log ?? log, head } }, MOST);
}

/**
 * Keeps the head of a view before the player opens a seed. Who has all seeds could otherwise write the events before with
 * another seed of the server.
 * @param {GameView} view
 */
export function keepOpening({ id, head }) {
  const { [id]: before, ...others } = stored(GAMES);
  store(GAMES, { ...others, [id]: { ...before, openings: [...(before?.openings ?? []), head] } }, MOST);
}

/** Keeps a proof of the start while the game is played: one got later does not show when the log had the start. @param {import("./store.js").Game} game */
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
      const { data } = await request("GET", `${game.path}/proof?entry=start`);
      const { [id]: now, ...others } = stored(GAMES);
      if (now && game.view.status === "playing") store(GAMES, { ...others, [id]: { ...now, start: data } }, MOST);
      return;
    } catch (error) {
      if (!isTransient(error) && !(error instanceof Problem && error.code === "not-logged")) return;
    }
  }
}

/** What was kept of a game. @param {string} id @returns {Kept | null} */
export function keptOf(id) {
  return stored(GAMES)[id] ?? null;
}
