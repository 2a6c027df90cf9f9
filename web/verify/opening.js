// The table before the start: who sits where, with which seed, and the openings. docs/specification.md, "Client seeds". Who may
// command the table is not compared.

import { hex, isHex, same, sha256, utf8 } from "./values.js";

/**
 * A bot or a player as in `game_started`.
 * @typedef {{ kind: "human", account: unknown } | { kind: "bot", level: unknown }} Player
 */
/** Or a commitment. @typedef {{ seed: string | null, sealed?: string | null, isOpened?: boolean, isVoid?: boolean }} Seed */

/** @param {unknown} account @returns {Player} */
const human = (account) => ({ kind: "human", account });

/** @param {unknown} seed */
const isSeed = (seed) => typeof seed === "string" && /^[0-9a-f]{32,64}$/.test(seed);

/** How many openings may fail; the last ends the table. */
const MOST_FAILED = 3;

/** What each event does. @type {Record<string, (table: Table, event: any, at: number) => void>} */
const EFFECTS = {
  player_joined: ({ places }, { place, account }) => void (places[place] = { who: human(account), seed: null }),
  player_left: ({ places }, { place }) => void (places[place] = null),
  bot_seated: ({ places }, { place, level }) => void (places[place] = { who: { kind: "bot", level }, seed: null }),
  seed_committed: (table, { place, commitment: sealed }) => {
    table.reseed(place, { seed: null, sealed });
    table.commitments.add(sealed);
  },
  seed_opened: (table, { place, client_seed: seed }) => {
    table.reseed(place, { seed, isOpened: true });
    table.isAnyOpen = true;
  },
  opening_began: (table, _, at) => {
    table.began = at;
    table.isAnyOpen = false;
  },
  opening_failed: (table) => {
    table.began = null;
    table.failed += 1;
    table.former = new Set(table.commitments);
    table.places.forEach(
      (sitter, at) => (sitter?.sealed || sitter?.isOpened) && table.reseed(at, { seed: null, isVoid: true }),
    );
  },
  game_started: (table) => void (table.stage = "started"),
  game_abandoned: (table) => void (table.stage = "over"),
};

export class Table {
  /** @type {"lobby" | "started" | "over"} */ stage = "lobby";
  /** The time of `opening_began`, in milliseconds, while seeds are opened. @type {number | null} */ began = null;
  /** Whether a seed is open in this opening. */ isAnyOpen = false;
  /** How many openings failed. */ failed = 0;
  /** All commitments. @type {Set<string | null>} */ commitments = new Set();
  /** Those before the last failed opening. @type {Set<string | null>} */ former = new Set();

  /** @param {any} created the event `game_created` */
  constructor({ ruleset, host, opening_seconds: seconds }) {
    /** @type {({ who: Player } & Seed | null)[]} */
    this.places = Array.from({ length: ruleset.players }, (_, place) =>
      place === 0 ? { who: human(host), seed: null } : null,
    );
    this.openingTime = seconds * 1000;
  }

  /** What `game_started` states. */
  get start() {
    return {
      players: this.places.map((sitter) => sitter?.who ?? null),
      client_seeds: this.places.map((sitter) => sitter?.seed ?? null),
    };
  }

  /** Gives a player another seed. @param {number} place @param {Seed} seed */
  reseed(place, seed) {
    const sitter = this.places[place];
    if (sitter) this.places[place] = { who: sitter.who, ...seed };
  }

  /** Takes the next event. @param {import("./history.js").ReadEvent} read @returns {string | null} the rule that it breaks */
  take({ at, actor, event }) {
    const { place, client_seed: seed, commitment } = event;
    const isPlace = place === undefined || (typeof place === "number" && place in this.places);
    if (!(seed == null || isSeed(seed)) || !isPlace || !(commitment == null || isHex(64)(commitment))) return "form";
    const rule = this.broken(Date.parse(at), actor, event);
    if (rule === null) EFFECTS[event.type]?.(this, event, Date.parse(at));
    return rule;
  }

  /** @param {number} at @param {any} actor @param {any} event */
  broken(at, actor, { type, place, account, client_seed, client_seeds, commitment, players, missing, reason }) {
    const [isServer, isFull, isOpening, start] = [
      actor === "server",
      !this.places.includes(null),
      this.began !== null,
      this.start,
    ];
    const unexpected = isServer ? "derived" : "command";
    if (this.stage === "over") return unexpected;
    if (type === "host_changed") return null;
    const closed = this.places.flatMap((sitter, own) => (sitter?.sealed ? [own] : []));
    const isStart = same({ players, client_seeds }, start);
    if (isOpening && (!isFull || closed.length === 0)) {
      const left = this.isAnyOpen ? this.places.flatMap((sitter, own) => (sitter ? [] : [own])) : [];
      const isDue = isFull ? type === "game_started" && isStart : type === "opening_failed" && same(missing, left);
      return !isDue ? "derived" : isServer ? null : "actor";
    }
    const isLast = reason === "openings_failed";
    if (this.failed >= MOST_FAILED) return type !== "game_abandoned" || !isLast ? "derived" : isServer ? null : "actor";
    if (isLast) return unexpected;
    if (isServer && type !== "game_abandoned") {
      if (type !== "opening_failed" || !isOpening || !same(missing, closed)) return "derived";
      return at < Number(this.began) + this.openingTime ? "time" : null;
    }
    const isOwn = actor.place === place;
    const sitter = this.places[place];
    if (isOpening) {
      if (type === "game_abandoned" || (type === "player_left" && isOwn)) return null;
      return type === "seed_opened" && isOwn && hex(sha256(utf8(client_seed))) === sitter?.sealed ? null : "command";
    }
    const isHuman = sitter?.who.kind === "human";
    const isReady =
      isFull && this.places.every((one) => !one?.isVoid) && closed.length > 0 === (type === "opening_began");
    if ((type === "opening_began" || type === "game_started") && !isReady) return "command";
    if (type === "game_started" && !isStart) return "actor";
    // A commitment is neither that of another place, nor older than the last failed opening.
    const isOther = this.places.some((one, own) => own !== place && one?.sealed === commitment);
    const isKnown = commitment !== null && (this.former.has(commitment) || isOther);
    if (type === "seed_committed" && (!isOwn || !isHuman || isKnown)) return "command";
    const isSeated = start.players.some((own) => same(own, human(account)));
    if (type === "player_joined" && (isSeated || sitter)) return "command";
    if (type === "bot_seated" && isHuman) return "command";
    return Object.hasOwn(EFFECTS, type) && !["seed_opened", "opening_failed"].includes(type) ? null : "command";
  }
}
