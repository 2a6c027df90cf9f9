// Requests that open tables and find them, also for another game with the same rules and players.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { follow } from "../api/stream.js";
import { drawSeed, tendSeed } from "./seeds.js";

/** What opens a table or takes a seat: a new commitment, of a player with an account. */
async function commitment() {
  await session.ensure();
  return { seed_commitment: await drawSeed() };
}

/** Opens a table. @param {Schemas["CreateGameRequest"]} wish */
export async function openTable(wish) {
  return api("POST", "/v1/games", { body: { ...wish, ...(await commitment()) }, once: true });
}

/** Takes a seat with an invitation code. @param {string} code */
export async function join(code) {
  return api("POST", "/v1/join/{code}", { path: { code }, body: await commitment(), once: true });
}

/** Takes a seat at a public table. @param {string} id */
export async function sit(id) {
  return api("POST", "/v1/games/{id}/seats", { path: { id }, body: await commitment(), once: true });
}

/**
 * The options of short games. That of `plain` begins with the first call.
 * @type {Record<string, Schemas["CreateGameRequest"]["options"]>}
 */
const SHORT = { nineteen: {}, plain: { length: "micro", seating: "as_joined", cut: false } };

/**
 * Opens a private table with bots and starts it.
 * @param {Schemas["KnownRulesetId"]} ruleset
 * @param {boolean} isShort whether the game has the shortest length of its ruleset
 */
export async function playAgainstBots(ruleset, isShort) {
  const options = isShort ? (SHORT[ruleset] ?? { length: "micro" }) : {};
  const view = await openTable({ ruleset, options, visibility: "private", bots: { level: "steady" } });
  await tendSeed(view);
  return view;
}

/** Whether all others are bots. @param {GameView} view */
export const isAgainstBots = ({ seats }) => seats.filter(({ player }) => player?.kind === "human").length <= 1;

/**
 * Takes a seat at the table of the rematch. Against bots it starts at once; people join with the same request.
 * @param {Game} game @param {GameView} view the game that is over
 * @returns {Promise<string | null>} the id of the next game; null if the server refused, and `game` has the error
 */
export async function playAgain(game, view) {
  const table = await game.act(async (path) =>
    api("POST", "/v1/games/{id}/rematch", { path, body: { seed_commitment: await drawSeed() }, once: true }),
  );
  if (!table) return null;
  if (isAgainstBots(view) && table.status === "lobby") {
    await tendSeed(await api("POST", "/v1/games/{id}/start", { path: { id: table.id }, once: true }));
  }
  return table.id;
}

/**
 * Waits for another player of a game that is over to open the table of the rematch.
 * @param {GameView} view the game that is over @param {AbortSignal} signal ends the wait
 * @param {(host: string) => void} onInvited gets the name of the player, once or never
 */
export function awaitRematch(view, signal, onInvited) {
  const look = async (/** @type {string} */ id) => {
    const table = await api("GET", "/v1/games/{id}", { path: { id }, signal });
    const isOurs = view.seats.some(({ player }) => player?.id === table.host.id) && table.created_at >= view.updated_at;
    if (isOurs && table.status === "lobby") onInvited(table.host.name);
  };
  return follow("/v1/me/stream", {
    signal,
    // An invitation that cannot be read is shown by the page of games.
    onEvent: (name, { game }) => void (name === "invited" && look(game).catch(() => {})),
  });
}
