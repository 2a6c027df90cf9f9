// The seeds of this browser's players: each is drawn here, kept here, and opened when the start of its game was requested.
// The server gets its hash before, so nobody can choose the cards, not even the server together with all other players.

import { api, hex, randomHex } from "../api/client.js";
import { keepOpening } from "./kept.js";
import { Shelf } from "./stored.js";

/** The seeds by their commitments: more than the tables at which a player waits. */
const seeds = new Shelf("estimation.seeds", 200);

/** SHA-256 of a text in hexadecimal digits. Over https the browser has it; the library is large. @param {string} text */
async function hashOf(text) {
  const bytes = new TextEncoder().encode(text);
  if (!crypto.subtle) return hex((await import("../verify/values.js")).sha256(bytes));
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/**
 * Draws a seed and keeps it.
 * @returns {Promise<string | null>} its commitment; null if this browser stores nothing, because a game never starts without a seed
 *     that a player committed to
 */
export async function drawSeed() {
  const seed = randomHex(32);
  const commitment = await hashOf(seed);
  return seeds.put(commitment, seed) ? commitment : null;
}

/** The commitments that this page has opened or replaced, so that each is done once. @type {Set<string>} */
const tended = new Set();

/** Tables at which this page replaced a commitment of another device. Two devices must not do so in turn. @type {Set<string>} */
const replaced = new Set();

/**
 * Does what the player's seed at a table needs: opens it, or commits to a new one.
 * @param {GameView} view
 * @returns {Promise<"nothing" | "done" | "replaced">} `replaced`: another device had the seed
 */
export async function tendSeed(view) {
  const place = view.you?.place;
  if (view.status !== "lobby" || place === undefined) return "nothing";
  const { seed_commitments: all, opening_until: isOpening } = view.fairness;
  const own = all.find((one) => one.place === place);
  const seed = own?.commitment ? seeds.get(own.commitment) : undefined;
  const path = { id: view.id };
  if (isOpening !== undefined) {
    if (own?.status !== "committed" || seed === undefined || tended.has(String(own.commitment))) return "nothing";
    tended.add(String(own.commitment));
    keepOpening(view);
    await api("POST", "/v1/games/{id}/seed", { path, body: { client_seed: seed }, once: true });
    return "done";
  }
  if (own?.status === "committed" && (seed !== undefined || replaced.has(view.id) || document.hidden)) return "nothing";
  // Once for each state of the table: a refusal would be the same.
  const state = `${view.id} ${own?.status ?? "none"} ${all.length} ${view.version}`;
  if (tended.has(state)) return "nothing";
  tended.add(state);
  const commitment = await drawSeed();
  if (commitment === null && own?.status !== "void" && own?.status !== "missing") return "nothing";
  await api("POST", "/v1/games/{id}/seed-commitment", { path, body: { commitment }, once: true });
  if (own?.status !== "committed") return "done";
  replaced.add(view.id);
  return "replaced";
}
