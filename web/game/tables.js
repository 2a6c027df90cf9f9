// Requests that open tables and find them, also for another game with the same rules and players.

import { request } from "../api/client.js";
import { session } from "../api/session.js";
import { follow } from "../api/stream.js";
import { drawSeed, tendSeed } from "./seeds.js";

/**
 * Opens a table or takes a seat, with a new commitment.
 * @param {string} path @param {Record<string, unknown>} [wish] @returns {Promise<GameView>}
 */
async function enter(path, wish) {
  await session.ensure();
  return (await request("POST", path, { body: { ...wish, seed_commitment: await drawSeed() }, once: true })).data;
}

/** Opens a table. @param {Record<string, unknown>} wish see `CreateGameRequest` */
export const openTable = (wish) => enter("/v1/games", wish);

/** Takes a seat with an invitation code. @param {string} code */
export const join = (code) => enter(`/v1/join/${encodeURIComponent(code)}`);

/** Takes a seat at a public table. @param {string} id */
export const sit = (id) => enter(`/v1/games/${id}/seats`);

/** The options of short games. That of `plain` begins with the first call. @type {Record<string, object>} */
const SHORT = { nineteen: {}, plain: { length: "micro", seating: "as_joined", cut: false } };

/**
 * Opens a private table with bots and starts it.
 * @param {Schemas["KnownRulesetId"]} ruleset
 * @param {boolean} isShort whether the game has the shortest length of its ruleset
 */
export async function playAgainstBots(ruleset, isShort) {
  const options = isShort ? SHORT[ruleset] ?? { length: "micro" } : {};
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
  const table = await game.act("POST", "rematch", { seed_commitment: await drawSeed() });
  if (!table) return null;
  if (isAgainstBots(view) && table.status === "lobby") {
    await tendSeed((await request("POST", `/v1/games/${table.id}/start`, { once: true })).data);
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
    /** @type {GameView} */
    const table = (await request("GET", `/v1/games/${id}`, { signal })).data;
    const isOurs = view.seats.some(({ player }) => player?.id === table.host.id) && table.created_at >= view.updated_at;
    if (isOurs && table.status === "lobby") onInvited(table.host.name);
  };
  return follow("/v1/me/stream", {
    signal,
    // An invitation that cannot be read is shown by the page of games.
    onEvent: (name, { game }) => void (name === "invited" && look(game).catch(() => {})),
  });
}
