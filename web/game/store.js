// One game as the page sees it: the view of the server, kept current by the game's stream.

import { api, pause, repeat } from "../api/client.js";
import { isTransient, Offline, Problem } from "../api/problem.js";
import { session } from "../api/session.js";
import { follow } from "../api/stream.js";
import { Source } from "../source.js";
import { useEffect, useMemo, useSource } from "../view.js";
import { advance, envelope } from "./advance.js";
import { keep, keepStart } from "./kept.js";
import { tendSeed } from "./seeds.js";

/** How long the events of a command may follow its answer. */
const LATE_MS = 2_000;

/** Events are announced from here; older ones are dropped. */
const KEPT_EVENTS = 200;

/** The entity tag by which the server compares the version and the hash of a view. @param {GameView} view */
export function matchOf({ version, head }) {
  return `"${version}.${head.hash.slice(0, 16)}.${head.hash.slice(-16)}"`;
}

export class Game extends Source {
  /** @type {GameView | null} */
  view = null;
  /** @type {"loading" | "open" | "waiting" | "ended" | "failed"} */
  state = "loading";
  /** The last refusal. @type {unknown} */
  error = null;
  /** The last command, until a refusal, and the version that it is for. @type {{ command: Command, version: number } | null} */
  sent = null;
  /** The newest events since the page was opened. @type {EventEnvelope[]} */
  events = [];
  loading = false;
  stale = false;
  /** Whether another device of the player had the seed, which this page has replaced. */
  isSeedReplaced = false;
  closing = new AbortController();

  /** @param {string} id */
  constructor(id) {
    super();
    this.id = id;
    this.path = `/v1/games/${id}`;
    /** Takes the reactions of the stream, see `talk.js`. @type {((said: any) => void) | null} */
    this.onReaction = null;
  }

  /** A command that the view does not show yet. The table draws it as done. */
  get pending() {
    return this.sent?.version === this.view?.version ? (this.sent?.command ?? null) : null;
  }

  /** Loads the game and follows it until `close`. */
  async open() {
    await this.load();
    if (this.view === null) return;
    const { seq, hash } = this.view.head;
    await follow(`${this.path}/stream`, {
      signal: this.closing.signal,
      lastEventId: `${seq}-${hash.slice(0, 16)}`,
      onEvent: (name, data, id = "") => this.take(name, name === "message" ? envelope(id, data) : data),
      onState: (state) => {
        this.state = state;
        // No turn follows the events that were missed before the end.
        if (state === "ended" && (this.events.at(-1)?.seq ?? 0) > (this.view?.version ?? 0)) this.load();
        this.changed();
      },
    });
  }

  close() {
    this.closing.abort();
  }

  /**
   * Takes a message of the stream. The view changes with a turn, which follows the events of a command.
   * @param {string} name
   * @param {any} data
   */
  take(name, data) {
    if (name === "reaction") return this.onReaction?.(data);
    if (name === "message") this.events = [...this.events.slice(-KEPT_EVENTS), data];
    // The server has an earlier state.
    if (name === "reset") [this.events, this.sent] = [[], null];
    const turn = name === "turn" || name === "reset" ? data : data.turn;
    if (!turn) return;
    const known = this.loading || name === "reset" ? null : this.view;
    const view = known && advance(known, session.account?.id, this.events, turn);
    if (view) this.show(view);
    else this.load();
  }

  /** Loads the view, again while no answer comes. Turns that arrive meanwhile lead to one more load. */
  async load() {
    this.stale = true;
    if (this.loading) return;
    this.loading = true;
    await repeat(async () => {
      try {
        while (this.stale) {
          this.stale = false;
          this.show(await api("GET", "/v1/games/{id}", { path: { id: this.id }, signal: this.closing.signal }));
        }
      } catch (error) {
        if (this.closing.signal.aborted) return true;
        this.error = error;
        if (this.view === null) this.state = "failed";
        this.changed();
        this.stale = isTransient(error);
      }
      return !this.stale;
    });
    this.loading = false;
  }

  /** @param {GameView} view */
  show(view) {
    this.view = view;
    if (isTransient(this.error)) this.error = null;
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

  /** Sends a command of `legal`. The table draws it at once, and takes it back if the server refuses. @param {Command} command */
  async send(command) {
    if (this.pending !== null || this.view === null) return;
    const { version } = this.view;
    const headers = { "If-Match": matchOf(this.view), Prefer: "return=minimal" };
    const sent = (this.sent = { command, version });
    this.error = null;
    this.changed();
    try {
      const path = { id: this.id };
      const answer = await api("POST", "/v1/games/{id}/commands", { path, body: command, once: true, headers });
      // The stream brings the events. A restored database may lack the command.
      if (this.state === "open") await pause(LATE_MS);
      if (this.view.version < answer.version) await this.load();
      if (this.sent === sent && this.view.version < answer.version) this.sent = null;
    } catch (error) {
      if (this.sent === sent) this.sent = null;
      if (!this.isCarriedOut(error)) this.error = error;
      await this.load();
    }
    this.changed();
  }

  /** Whether a refusal means that a repeated command had been carried out before. @param {unknown} error */
  isCarriedOut(error) {
    const you = this.view?.you;
    const isOwn = (/** @type {EventEnvelope} */ { actor }) =>
      actor.by === undefined && actor.seat === you?.seat && actor.place === you?.place;
    return error instanceof Problem && error.code === "stale-version" && (error.members.events ?? []).some(isOwn);
  }

  /**
   * Sends another request about this game, such as a start. The answer is the next view; null if the server refused.
   * @param {(path: { id: string }) => Promise<GameView>} send gets the parameter of the path @returns {Promise<GameView | null>}
   */
  async act(send) {
    this.error = null;
    try {
      const view = await send({ id: this.id });
      if (view.id === this.id && view.version >= (this.view?.version ?? 0)) this.show(view);
      return view;
    } catch (error) {
      this.error = error;
      await this.load();
      this.changed();
      return null;
    }
  }

  /** Frees a seat, also that of another player; nothing without one. @param {number | null} seat @returns as of `act` */
  async leave(seat) {
    return seat === null
      ? null
      : this.act((path) => api("DELETE", "/v1/games/{id}/seats/{seat}", { path: { ...path, seat } }));
  }
}

/** The game of a page. @param {string} id */
export function useGame(id) {
  const game = useMemo(() => new Game(id), [id]);
  useSource(game);
  useEffect(() => {
    game.open();
    return () => game.close();
  }, [game]);
  return game;
}
