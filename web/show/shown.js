// A game as the table shows it: the present view, reached one step after another.

import { now } from "../api/client.js";
import { settings } from "../settings.js";
import { useEffect, useMemo, useSource } from "../view.js";
import { Queue } from "./queue.js";
import { stepsBetween, withOwnCard } from "./steps.js";

/** @typedef {Pick<Game, "view" | "events" | "pending" | "subscribe">} Followed what `Shown` reads of a game */

/** Older events happened while the page was away. */
const OLD_MS = 15_000;

/** @type {import("./queue.js").Clock} */
const CLOCK = {
  now: () => performance.now(),
  set: (act, ms) => setTimeout(act, ms),
  clear: (timer) => clearTimeout(timer),
};

/** @returns {import("./queue.js").Pace} */
const PACE = () => ({
  speed: settings.get("speed"),
  isReduced: matchMedia("(prefers-reduced-motion: reduce)").matches,
  isHidden: document.hidden,
});

/**
 * Follows a game. `view` is drawn; `step` is what moves now: a `trick` lies until `isSweeping`, every other step is in `view` already.
 * `round` is the result of a round, which stays until `continue`: as a sheet, or as a strip if `isStrip`.
 */
export class Shown extends Queue {
  /** The view of the game that the last step leads to. @type {GameView | null} */
  latest = null;
  /** The player's card that is on the table before the server's answer. @type {string | null} */
  own = null;

  /** @param {Followed} game */
  constructor(game, clock = CLOCK, pace = PACE) {
    super(clock, pace);
    this.game = game;
    this.update();
  }

  /** What the player may do: nothing until the table shows the present, with all cards dealt. @returns {readonly Command[]} */
  get legal() {
    const isReady = this.isPresent && !["deal", "score"].includes(this.step?.kind ?? "");
    return isReady && !this.game.pending ? (this.game.view?.legal ?? []) : [];
  }

  /** Follows the game until the returned function is called. */
  follow() {
    const leave = this.game.subscribe(() => this.update());
    const look = () => this.finish();
    document.addEventListener("visibilitychange", look);
    this.update();
    return () => {
      leave();
      document.removeEventListener("visibilitychange", look);
      this.stop();
    };
  }

  /** @private */
  update() {
    const { view, pending } = this.game;
    if (!view) return this.changed();
    // Each turn has its own time.
    if (view.version !== this.latest?.version) this.expect(false);
    this.expect(view.legal.length > 0 && !pending);
    if (pending) this.close();
    if (view !== this.latest) this.advance(view);
    else if (this.own && !pending) this.jump(view);
    if (!pending) this.own = null;
    else if (!this.own && pending.type === "play") this.putOwnCard(view, pending.card ?? "");
    this.changed();
  }

  /** @private @param {GameView} view */
  advance(view) {
    const before = this.latest?.version ?? 0;
    const steps = this.latest && stepsBetween(this.latest, this.game.events, view);
    this.latest = view;
    if (!steps) return this.jump(view);
    const isOld = this.game.events.some(({ seq, at }) => seq > before && now() - Date.parse(at) > OLD_MS);
    this.push(steps.map((step) => (step.kind === "card" && step.card === this.own ? { ...step, kind: null } : step)));
    if (isOld) this.finish();
  }

  /** Puts the player's card on the table at once. @private @param {GameView} view @param {string} card */
  putOwnCard(view, card) {
    const seat = view.you?.seat;
    if (seat === undefined || !this.isPresent || !view.round) return;
    this.own = card;
    const after = withOwnCard(view, seat, card);
    this.interrupt({
      kind: "card",
      event: { type: "card_played", seat, card },
      seq: view.version,
      view: after,
      seat,
      card,
    });
  }
}

/** What the table of a page shows. @param {Followed} game */
export function useShown(game) {
  const shown = useMemo(() => new Shown(game), [game]);
  useSource(shown);
  useEffect(() => shown.follow(), [shown]);
  return shown;
}
