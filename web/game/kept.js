// What this browser keeps of each game until it is verified: the promise of its start, and the last head. A browser that
// stores nothing compares nothing later.

import { store, stored } from "./stored.js";

/** @typedef {import("../schema").components["schemas"]["GameView"]} GameView */
/** @typedef {{ log: GameView["log"], head: GameView["head"] }} Kept */

const GAMES = "estimation.kept";

/** How many games are kept: the ones that changed last. */
const MOST = 50;

/** Keeps the promise and the head of a view, unless a later head is kept. @param {GameView} view */
export function keep({ id, status, you, log, head }) {
  if (status === "lobby" || you === null) return;
  const { [id]: before, ...others } = stored(GAMES);
  if (before && before.head.seq >= head.seq) return;
  store(GAMES, { ...others, [id]: { log: before?.log ?? log, head } }, MOST);
}

/** What was kept of a game. @param {string} id @returns {Kept | null} */
export function keptOf(id) {
  return stored(GAMES)[id] ?? null;
}

/** Forgets a game that was verified. @param {string} id */
export function forget(id) {
  const { [id]: _, ...others } = stored(GAMES);
  store(GAMES, others, MOST);
}
