// What this browser keeps of each game until it is verified: the promise of its start, and the last head.

/** @typedef {import("../schema").components["schemas"]["GameView"]} GameView */
/** @typedef {{ log: GameView["log"], head: GameView["head"] }} Kept */

const STORED = "estimation.kept";

/** The games that are kept, the ones that changed last. */
const MOST = 50;

/** @returns {Record<string, Kept>} */
function all() {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    return typeof stored === "object" && stored !== null ? stored : {};
  } catch {
    return {};
  }
}

/** @param {Record<string, Kept>} games */
function store(games) {
  try {
    localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(Object.entries(games).slice(-MOST))));
  } catch {
    // A browser that keeps nothing compares nothing later.
  }
}

/** Keeps the promise and the head of a view, unless a later head is kept. @param {GameView} view */
export function keep({ id, status, you, log, head }) {
  if (status === "lobby" || you === null) return;
  const { [id]: before, ...others } = all();
  if (before && before.head.seq >= head.seq) return;
  store({ ...others, [id]: { log: before?.log ?? log, head } });
}

/** What was kept of a game. @param {string} id @returns {Kept | null} */
export function keptOf(id) {
  return all()[id] ?? null;
}

/** Forgets a game that was verified. @param {string} id */
export function forget(id) {
  const { [id]: _, ...others } = all();
  store(others);
}
