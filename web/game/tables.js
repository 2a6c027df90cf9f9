// Requests that open tables and find them.

import { request } from "../api/client.js";
import { session } from "../api/session.js";
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

/**
 * Opens a private table with bots and starts it.
 * @param {Schemas["KnownRulesetId"]} ruleset
 * @param {boolean} isShort whether the game has the shortest length of its ruleset
 */
export async function playAgainstBots(ruleset, isShort) {
  const options = isShort && ruleset !== "nineteen" ? { length: "micro" } : {};
  const view = await openTable({ ruleset, options, visibility: "private", bots: { level: "steady" } });
  await tendSeed(view);
  return view;
}
