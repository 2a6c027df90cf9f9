// The seeds of the players before the start: commitments, openings, and what the start says. docs/auditing.md, "Client seeds".
// Who may join, leave or command the table is not compared.

import { hex, isHex, same, sha256, utf8 } from "./bytes.js";

/**
 * What a place has: a bot or a player, with a seed that is known, a commitment, or one that is void.
 * @typedef {{ seed: string | null, sealed?: string | null, isOpened?: boolean, isVoid?: boolean }} Sitter
 */

/** @param {unknown} seed */
export const isSeed = (seed) => typeof seed === "string" && /^[0-9a-f]{32,64}$/.test(seed);

/** What each event does. @type {Record<string, (table: Table, event: any, at: number) => void>} */
const EFFECTS = {
  player_joined: ({ places }, { place, client_seed: seed }) => void (places[place] = { seed }),
  player_left: ({ places }, { place }) => void (places[place] = null),
  bot_seated: ({ places }, { place }) => void (places[place] = { seed: null }),
  seed_committed: ({ places }, { place, commitment: sealed }) => void (places[place] = { seed: null, sealed }),
  seed_opened: ({ places }, { place, client_seed: seed }) => void (places[place] = { seed, isOpened: true }),
  opening_began: (table, _, at) => void (table.began = at),
  opening_failed: (table) => {
    table.began = null;
    table.places = table.places.map((sitter) => (sitter?.sealed || sitter?.isOpened ? { seed: null, isVoid: true } : sitter));
  },
  game_started: (table) => void (table.stage = "started"),
  game_abandoned: (table) => void (table.stage = "over"),
};

export class Table {
  stage = /** @type {"lobby" | "started" | "over"} */ ("lobby");
  /** The time of `opening_began`, in milliseconds, while seeds are opened. @type {number | null} */ began = null;

  /** @param {any} created the event `game_created` */
  constructor({ ruleset, client_seed: seed, opening_seconds: seconds }) {
    /** @type {(Sitter | null)[]} */
    this.places = Array.from({ length: ruleset.players }, (_, place) => (place === 0 ? { seed } : null));
    this.openingTime = seconds * 1000;
  }

  /** The seeds of `game_started`. */
  get seeds() {
    return this.places.map((sitter) => sitter?.seed ?? null);
  }

  /** The places whose seed is not open. */
  get closed() {
    return this.places.flatMap((sitter, place) => (sitter?.sealed ? [place] : []));
  }

  /** Takes the next event. @param {import("./history.js").ReadEvent} read @returns {string | null} the rule that it breaks */
  take({ at, actor, event }) {
    const { place, client_seed: seed, commitment } = event;
    const isPlace = place === undefined || (typeof place === "number" && place in this.places);
    if (!(seed == null || isSeed(seed)) || !isPlace || !(commitment == null || isHex(commitment, 64))) return "form";
    const rule = this.broken(Date.parse(at), actor, event);
    if (rule === null) EFFECTS[event.type]?.(this, event, Date.parse(at));
    return rule;
  }

  /** @param {number} at @param {any} actor @param {any} event */
  broken(at, actor, { type, place, client_seed, client_seeds, missing }) {
    const [isServer, isFull, isOpening] = [actor === "server", !this.places.includes(null), this.began !== null];
    if (this.stage === "over") return isServer ? "derived" : "command";
    if (type === "host_changed") return null;
    if (isOpening && (!isFull || this.closed.length === 0)) {
      if (type !== (isFull ? "game_started" : "opening_failed")) return "derived";
      return !same(isFull ? client_seeds : missing, isFull ? this.seeds : []) ? "derived" : isServer ? null : "actor";
    }
    if (isServer && type !== "game_abandoned") {
      if (type !== "opening_failed" || !isOpening || !same(missing, this.closed)) return "derived";
      return at < Number(this.began) + this.openingTime ? "time" : null;
    }
    const isOwn = actor.place === place;
    if (isOpening) {
      if (type === "game_abandoned" || (type === "player_left" && isOwn)) return null;
      return type === "seed_opened" && isOwn && hex(sha256(utf8(client_seed))) === this.places[place]?.sealed ? null : "command";
    }
    const isReady = isFull && this.places.every((sitter) => !sitter?.isVoid) && (this.closed.length > 0) === (type === "opening_began");
    if (type === "opening_began" || type === "game_started") return !isReady ? "command" : type === "opening_began" || same(client_seeds, this.seeds) ? null : "actor";
    if (type === "seed_committed" && (!isOwn || this.places[place] == null)) return "command";
    return Object.hasOwn(EFFECTS, type) && !["seed_opened", "opening_failed"].includes(type) ? null : "command";
  }
}
