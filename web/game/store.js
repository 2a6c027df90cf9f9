// One game as the page sees it: the view of the server, kept current by the game's stream.

import { newKey, pause, request } from "../api/client.js";
import { Offline, Problem } from "../api/problem.js";
import { follow, online } from "../api/stream.js";
import { Source } from "../source.js";
import { useEffect, useMemo, useSource } from "../view.js";
import { keep, keepStart } from "./kept.js";
import { tendSeed } from "./seeds.js";

/** @typedef {import("../schema").components["schemas"]["GameView"]} GameView */
/** @typedef {import("../schema").components["schemas"]["Command"]} Command */
/** @typedef {import("../schema").components["schemas"]["EventEnvelope"]} EventEnvelope */

/** The pauses between attempts to load a game for the first time. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

/** Events are announced from here; older ones are dropped. */
const KEPT_EVENTS = 200;

export class Game extends Source {
  /** @param {string} id */
  constructor(id) {
    super();
    this.id = id;
    this.path = `/v1/games/${id}`;
    /** @type {GameView | null} */
    this.view = null;
    /** @type {string | null} */
    this.etag = null;
    /** @type {"loading" | "open" | "waiting" | "ended" | "failed"} */
    this.state = "loading";
    /** The last refusal. @type {Error | null} */
    this.error = null;
    /** A command without an answer yet. The table draws it as done. @type {Command | null} */
    this.pending = null;
    /** The newest events since the page was opened. @type {EventEnvelope[]} */
    this.events = [];
    this.loading = false;
    this.stale = false;
    /** Whether another device of the player had the seed, which this page has replaced. */
    this.isSeedReplaced = false;
    this.closing = new AbortController();
  }

  /** Loads the game and follows it until `close`. */
  async open() {
    for (let wait = FIRST_PAUSE_MS; this.view === null; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      await this.load();
      if (this.closing.signal.aborted || (this.error instanceof Problem && this.error.status < 500)) return;
      if (this.view === null) await Promise.race([pause(wait), online()]);
    }
    const { seq, hash } = /** @type {GameView} */ (this.view).head;
    await follow(`${this.path}/stream`, {
      lastEventId: `${seq}-${hash.slice(0, 16)}`,
      signal: this.closing.signal,
      onEvent: (name, data) => {
        if (name === "message") this.events = [...this.events.slice(-KEPT_EVENTS), data];
        // After a reset the server has an earlier state.
        if (name === "reset" || data.seq > (this.view?.version ?? 0)) this.load();
      },
      onState: (state) => {
        if (state === "open" && this.state === "waiting") this.load();
        this.state = state;
        this.changed();
      },
    });
  }

  close() {
    this.closing.abort();
  }

  /** Loads the view. Events that arrive meanwhile lead to one more load. */
  async load() {
    this.stale = true;
    if (this.loading) return;
    this.loading = true;
    try {
      while (this.stale) {
        this.stale = false;
        const headers = this.etag === null ? undefined : { "If-None-Match": this.etag };
        const answer = await request("GET", this.path, { headers, signal: this.closing.signal });
        if (answer.status !== 304) this.show(answer.data, answer.headers.get("ETag"));
        else if (this.view) this.show(this.view, this.etag);
      }
    } catch (error) {
      if (this.closing.signal.aborted) return;
      this.error = /** @type {Error} */ (error);
      if (this.view === null) this.state = "failed";
      this.changed();
    } finally {
      this.loading = false;
    }
  }

  /**
   * @param {GameView} view
   * @param {string | null} etag
   */
  show(view, etag) {
    this.view = view;
    this.etag = etag;
    if (this.error instanceof Offline) this.error = null;
    this.changed();
    keep(view);
    keepStart(this);
    this.tend(view);
  }

  /** Opens or renews the player's seed. The next event shows what became of it. @param {GameView} view */
  async tend(view) {
    try {
      if ((await tendSeed(view)) === "replaced") this.isSeedReplaced = true;
    } catch (error) {
      // The table changed meanwhile: its next view is tended again.
      if (!(error instanceof Problem) && !(error instanceof Offline)) throw error;
    }
  }

  /**
   * Sends a command of `legal`. The table draws it at once, and takes it back if the server refuses.
   * @param {Command} command
   */
  async send(command) {
    if (this.pending !== null || this.etag === null) return;
    this.pending = command;
    this.error = null;
    this.changed();
    try {
      const options = { body: command, key: newKey(), headers: { "If-Match": this.etag } };
      const { data, headers } = await request("POST", `${this.path}/commands`, options);
      this.pending = null;
      if (data.game.version >= (this.view?.version ?? 0)) this.show(data.game, headers.get("ETag"));
    } catch (error) {
      this.pending = null;
      if (!this.isCarriedOut(error)) this.error = /** @type {Error} */ (error);
      await this.load();
    }
    this.changed();
  }

  /** Whether a refusal means that a repeated command had been carried out before. @param {unknown} error */
  isCarriedOut(error) {
    const you = this.view?.you;
    const isOwn = (/** @type {EventEnvelope} */ { actor }) => actor.by === undefined && actor.seat === you?.seat && actor.place === you?.place;
    return error instanceof Problem && error.code === "stale-version" && (error.members.events ?? []).some(isOwn);
  }

  /**
   * Sends another request about this game, such as a start. The answer is the next view.
   * @param {string} method
   * @param {string} path below the game's path
   * @param {unknown} [body]
   * @returns {Promise<GameView | null>} null if the server refused
   */
  async act(method, path, body) {
    this.error = null;
    try {
      const { data, headers } = await request(method, `${this.path}/${path}`, method === "POST" ? { body, key: newKey() } : { body });
      if (data?.id === this.id) this.show(data, headers.get("ETag"));
      return data;
    } catch (error) {
      this.error = /** @type {Error} */ (error);
      await this.load();
      this.changed();
      return null;
    }
  }
}

/**
 * The game of a page.
 * @param {string} id
 */
export function useGame(id) {
  const game = useMemo(() => new Game(id), [id]);
  useSource(game);
  useEffect(() => {
    game.open();
    return () => game.close();
  }, [game]);
  return game;
}
