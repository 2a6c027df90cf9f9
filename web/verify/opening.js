// The table before the start: who sits where, with which seed, and the openings. docs/specification.md, "Client seeds". Who may
// command the table is not compared.

import { hex, isHex, same, sha256, utf8 } from "./bytes.js";

/** A bot or a player as in `game_started`. @typedef {{ kind: "human", account: unknown } | { kind: "bot", level: unknown }} Player */
/** With a seed that is known, a commitment, or a void one. @typedef {{ who: Player, seed: string | null, sealed?: string | null, isOpened?: boolean, isVoid?: boolean }} Sitter */

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
    table.places.forEach((sitter, at) => (sitter?.sealed || sitter?.isOpened) && table.reseed(at, { seed: null, isVoid: true }));
  },
  game_started: (table) => void (table.stage = "started"),
  game_abandoned: (table) => void (table.stage = "over"),
};

export class Table {
  stage = /** @type {"lobby" | "started" | "over"} */ ("lobby");
  /** The time of `opening_began`, in milliseconds, while seeds are opened. @type {number | null} */ began = null;
  /** Whether a seed is open in this opening. */ isAnyOpen = false;
  /** How many openings failed. */ failed = 0;
  /** All commitments. @type {Set<string | null>} */ commitments = new Set();
  /** Those before the last failed opening. @type {Set<string | null>} */ former = new Set();

  /** @param {any} created the event `game_created` */
  constructor({ ruleset, host, opening_seconds: seconds }) {
    /** @type {(Sitter | null)[]} */
    this.places = Array.from({ length: ruleset.players }, (_, place) => (place === 0 ? { who: human(host), seed: null } : null));
    this.openingTime = seconds * 1000;
  }

  /** The seeds of `game_started`. */
  get seeds() {
    return this.places.map((sitter) => sitter?.seed ?? null);
  }

  /** The players of `game_started`. */
  get players() {
    return this.places.map((sitter) => sitter?.who ?? null);
  }

  /** Gives a player another seed. @param {number} place @param {Omit<Sitter, "who">} seed */
  reseed(place, seed) {
    const sitter = this.places[place];
    if (sitter) this.places[place] = { who: sitter.who, ...seed };
  }

  /** Whether a commitment is that of another place, or was there before the last failed opening. @param {number} place @param {string | null} commitment */
  isKnown(place, commitment) {
    return commitment !== null && (this.former.has(commitment) || this.places.some((sitter, at) => at !== place && sitter?.sealed === commitment));
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
  broken(at, actor, { type, place, account, client_seed, client_seeds, commitment, players, missing, reason }) {
    const [isServer, isFull, isOpening] = [actor === "server", !this.places.includes(null), this.began !== null];
    if (this.stage === "over") return isServer ? "derived" : "command";
    if (type === "host_changed") return null;
    if (isOpening && (!isFull || this.closed.length === 0)) {
      if (type !== (isFull ? "game_started" : "opening_failed")) return "derived";
      const left = this.isAnyOpen ? this.places.flatMap((sitter, at) => (sitter ? [] : [at])) : [];
      const isRight = isFull ? same([players, client_seeds], [this.players, this.seeds]) : same(missing, left);
      return !isRight ? "derived" : isServer ? null : "actor";
    }
    if (this.failed >= MOST_FAILED) return type !== "game_abandoned" || reason !== "openings_failed" ? "derived" : isServer ? null : "actor";
    if (reason === "openings_failed") return isServer ? "derived" : "command";
    if (isServer && type !== "game_abandoned") {
      if (type !== "opening_failed" || !isOpening || !same(missing, this.closed)) return "derived";
      return at < Number(this.began) + this.openingTime ? "time" : null;
    }
    const isOwn = actor.place === place;
    if (isOpening) {
      if (type === "game_abandoned" || (type === "player_left" && isOwn)) return null;
      return type === "seed_opened" && isOwn && hex(sha256(utf8(client_seed))) === this.places[place]?.sealed ? null : "command";
    }
    const who = this.places[place]?.who;
    const isReady = isFull && this.places.every((sitter) => !sitter?.isVoid) && (this.closed.length > 0) === (type === "opening_began");
    if ((type === "opening_began" || type === "game_started") && !isReady) return "command";
    if (type === "game_started" && !same([players, client_seeds], [this.players, this.seeds])) return "actor";
    if (type === "seed_committed" && (!isOwn || who?.kind !== "human" || this.isKnown(place, commitment))) return "command";
    const isSeated = this.players.some((own) => same(own, human(account)));
    if (type === "player_joined" && (isSeated || who)) return "command";
    if (type === "bot_seated" && who?.kind === "human") return "command";
    return Object.hasOwn(EFFECTS, type) && !["seed_opened", "opening_failed"].includes(type) ? null : "command";
  }
}
