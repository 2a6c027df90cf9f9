// Requests that open tables and find them.

import { newKey, request } from "../api/client.js";
import { session } from "../api/session.js";
import { newCommitment, tendSeed } from "./seeds.js";

/** @typedef {import("../schema").components["schemas"]["GameView"]} GameView */
/** @typedef {import("../schema").components["schemas"]["KnownRulesetId"]} RulesetId */

/** Opens an account for a guest unless the browser has a session. */
export async function ensureAccount() {
  if (!session.isOpen) await session.asGuest();
}

/**
 * Opens a table.
 * @param {Record<string, unknown>} wish see `CreateGameRequest`
 * @returns {Promise<GameView>}
 */
export async function openTable(wish) {
  await ensureAccount();
  return (await request("POST", "/v1/games", { body: { ...wish, seed_commitment: newCommitment() }, key: newKey() })).data;
}

/**
 * Takes a seat with an invitation code.
 * @param {string} code
 * @returns {Promise<GameView>}
 */
export async function join(code) {
  await ensureAccount();
  return (await request("POST", `/v1/join/${encodeURIComponent(code)}`, { body: { seed_commitment: newCommitment() }, key: newKey() })).data;
}

/**
 * Takes a seat at a public table.
 * @param {string} id
 * @returns {Promise<GameView>}
 */
export async function sit(id) {
  await ensureAccount();
  return (await request("POST", `/v1/games/${id}/seats`, { body: { seed_commitment: newCommitment() }, key: newKey() })).data;
}

/**
 * Opens a private table, fills it with bots and starts it.
 * @param {RulesetId} ruleset
 * @param {boolean} isShort whether the game has the shortest length of its ruleset
 * @returns {Promise<GameView>}
 */
export async function playAgainstBots(ruleset, isShort) {
  const options = isShort && ruleset !== "nineteen" ? { length: "micro" } : {};
  const table = await openTable({ ruleset, options, visibility: "private" });
  for (const [seat, { player }] of table.seats.entries()) {
    if (player === null) await request("PUT", `/v1/games/${table.id}/seats/${seat}/bot`, { body: { level: "steady" } });
  }
  const view = (await request("POST", `/v1/games/${table.id}/start`, { key: newKey() })).data;
  await tendSeed(view);
  return view;
}
