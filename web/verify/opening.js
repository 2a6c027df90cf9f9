// A table before the start: its places and host, the seeds of the players, and the openings of these. docs/auditing.md,
// "Table events" and "Client seeds".

import { hex, isHex, same, sha256, utf8 } from "./bytes.js";

/**
 * A player or bot, with the seed that is known, the commitment to one that is not, or a commitment that became void.
 * @typedef {{ account: string | null, level?: string, seed: string | null, sealed?: string | null, isOpened?: boolean, isVoid?: boolean }} Sitter
 */

/** The event that each command makes at a place; null if it is refused. @type {Record<string, (table: Table, event: any, place: number) => any>} */
const COMMANDS = {
  player_joined: ({ places }, { place: at, account, client_seed }, place) => {
    const own = places.findIndex((sitter) => sitter?.account === account);
    return (own === -1 ? places[at] === null : own === at && client_seed !== null) ? { place, account, client_seed } : null;
  },
  player_left: (table, { place: at }, place) => {
    const isAllowed = table.places[at] && (at === place || table.isHost(place)) && !(table.isHost(at) && table.isLast(at));
    return isAllowed ? { place: at, account: table.places[at]?.account } : null;
  },
  bot_seated: (table, { place: at, level }, place) =>
    table.isHost(place) && !table.places[at]?.account ? { place: at, level } : null,
  host_changed: (table, { place: at }, place) =>
    table.isHost(place) && table.places[at]?.account ? { place: at, account: table.places[at]?.account } : null,
  seed_committed: (_, { place: at, commitment }, place) => (at === place ? { place, commitment } : null),
  seed_opened: ({ places }, { place: at, client_seed }, place) =>
    at === place && hex(sha256(utf8(client_seed))) === places[place]?.sealed ? { place, client_seed } : null,
  opening_began: (table, _, place) => (table.isReady(place) && table.closed().length > 0 ? {} : null),
  game_started: (table, _, place) => (table.isReady(place) && table.closed().length === 0 ? table.start() : null),
  game_abandoned: (table, { reason, server_seed }, place) =>
    reason === "cancelled" && table.isHost(place) ? { reason, server_seed } : null,
};

/** What each event does. @type {Record<string, (table: Table, event: any, at: number) => void>} */
const EFFECTS = {
  player_joined: ({ places }, { place, account, client_seed: seed }) => void (places[place] = { account, seed }),
  player_left: (table, { place, account }) => {
    table.places[place] = null;
    if (account !== table.host) return;
    const heir = table.places.findIndex((sitter) => sitter?.account);
    table.heir = { type: "host_changed", place: heir, account: table.places[heir]?.account };
  },
  bot_seated: ({ places }, { place, level }) => void (places[place] = { account: null, level, seed: null }),
  host_changed: (table, { account }) => void ([table.host, table.heir] = [account, null]),
  seed_committed: (table, { place, commitment: sealed }) => table.reseed(place, { seed: null, sealed }),
  seed_opened: (table, { place, client_seed: seed }) => table.reseed(place, { seed, isOpened: true }),
  opening_began: (table, _, at) => void (table.began = at),
  opening_failed: (table) => {
    table.began = null;
    table.places.forEach((sitter, at) => (sitter?.sealed || sitter?.isOpened) && table.reseed(at, { seed: null, isVoid: true }));
  },
  game_started: (table) => void (table.stage = "started"),
  game_abandoned: (table) => void (table.stage = "over"),
};

export class Table {
  /** @param {any} created the event `game_created` */
  constructor({ ruleset, host, client_seed: seed, opening_seconds: seconds }) {
    this.host = host;
    /** @type {(Sitter | null)[]} */
    this.places = Array.from({ length: ruleset.players }, (_, place) => (place === 0 ? { account: host, seed } : null));
    this.stage = /** @type {"lobby" | "started" | "over"} */ ("lobby");
    /** The time of `opening_began`, in milliseconds, while seeds are opened. @type {number | null} */
    this.began = null;
    this.openingTime = seconds * 1000;
    /** The change of the host that must follow. @type {any} */
    this.heir = null;
  }

  /** Takes the next event. @param {import("./history.js").ReadEvent} read @returns {string | null} the rule that it breaks */
  take({ at, actor, event }) {
    const rule = this.brokenRule(Date.parse(at), actor, event);
    if (rule === null) EFFECTS[event.type]?.(this, event, Date.parse(at));
    return rule;
  }

  /** @param {number} at @param {any} actor @param {any} event */
  brokenRule(at, actor, event) {
    const { type, place: on, client_seed: seed, commitment } = event;
    const isSeed = seed == null || (typeof seed === "string" && /^[0-9a-f]{32,64}$/.test(seed));
    if (!isSeed || !(commitment == null || isHex(commitment, 64)) || !(on === undefined || this.has(on))) return "form";
    const due = this.due(event);
    if (due !== null) return !same(due, event) ? "derived" : actor === "server" ? null : "actor";
    if (actor === "server") {
      // Whether the table was given up in time is not compared.
      if (type === "game_abandoned" && event.reason === "expired" && this.stage === "lobby") return null;
      if (type !== "opening_failed" || this.began === null || !same(event.missing, this.closed())) return "derived";
      return at < this.began + this.openingTime ? "time" : null;
    }
    const place = actor?.place;
    if (!this.has(place) || Object.keys(actor).length !== 1) return "actor";
    const leaves = (type === "player_left" && on === place) || (type === "game_abandoned" && this.isLast(place));
    const isTime = this.began === null ? type !== "seed_opened" : type === "seed_opened" || leaves;
    const isPerson = type === "player_joined" || this.places[place]?.account;
    if (this.stage !== "lobby" || !isTime || !isPerson || !Object.hasOwn(COMMANDS, type)) return "command";
    const made = COMMANDS[type]?.(this, event, place) ?? null;
    return made === null ? "command" : same({ type, ...made }, event) ? null : "actor";
  }

  /** The event that the rules derive; null if a player must act. @param {any} event the next one */
  due({ commitment }) {
    if (this.heir !== null || this.began === null) return this.heir;
    if (this.places.includes(null)) return { type: "opening_failed", missing: [], commitment };
    return this.closed().length === 0 ? { type: "game_started", ...this.start() } : null;
  }

  /** The content of `game_started`. */
  start() {
    const players = this.places.map((sitter) =>
      sitter?.account ? { kind: "human", account: sitter.account } : { kind: "bot", level: sitter?.level });
    return { players, client_seeds: this.places.map((sitter) => sitter?.seed ?? null) };
  }

  /** @param {number} place @param {Omit<Sitter, "account">} seed */
  reseed(place, seed) {
    this.places[place] = { account: this.places[place]?.account ?? null, ...seed };
  }

  /** The places whose seed is not open. */
  closed() {
    return this.places.flatMap((sitter, place) => (sitter?.sealed ? [place] : []));
  }

  /** @param {unknown} place */
  has(place) {
    return typeof place === "number" && place in this.places;
  }

  /** @param {number} place */
  isHost(place) {
    return this.places[place]?.account === this.host;
  }

  /** Whether nobody else is a person. @param {number} place */
  isLast(place) {
    return this.places.every((sitter, at) => at === place || !sitter?.account);
  }

  /** Whether a command of this place can start the game. @param {number} place */
  isReady(place) {
    return this.isHost(place) && this.places.every((sitter) => sitter !== null && !sitter.isVoid);
  }
}
