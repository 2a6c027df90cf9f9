// Advice above the hand: why a card or a call that was tried is not allowed, and what a hint suggests.

import { api } from "../api/client.js";
import { Problem } from "../api/problem.js";
import { matchOf } from "../game/store.js";
import { Source } from "../source.js";
import { html, useEffect, useMemo, useSource } from "../view.js";

/** What is said about one version of a game, for eyes and for screen readers. */
export class Advice extends Source {
  text = "";
  /** The version that the text is about. */
  version = 0;
  /** How many questions were asked. Only the answer to the last one is shown. */
  asked = 0;

  /** @param {Game} game */
  constructor(game) {
    super();
    this.game = game;
  }

  /** The text, while the game stays as it is. */
  get shown() {
    return this.version === this.game.view?.version ? this.text : "";
  }

  /** @param {string} text @param {number} version of the game */
  say(text, version) {
    this.asked += 1;
    [this.text, this.version] = [text, version];
    this.changed();
  }

  /** Asks why a command is not in `legal`, and says it. The server executes nothing. @param {Command} command */
  async ask(command) {
    const { view, id } = this.game;
    if (view === null) return;
    this.asked += 1;
    const question = this.asked;
    try {
      const headers = { "If-Match": matchOf(view) };
      await api("POST", "/v1/games/{id}/commands/check", { path: { id }, body: command, headers });
    } catch (error) {
      // The next view shows what has changed.
      if (!(error instanceof Problem) || error.code === "stale-version") return;
      const reasons = await import("../learn/reasons.js").catch(() => null);
      if (question === this.asked) this.say(reasons?.reason(error) ?? (error.detail || error.title), view.version);
    }
  }
}

/** The advice about a game. @param {Game} game */
export function useAdvice(game) {
  const advice = useMemo(() => new Advice(game), [game]);
  useSource(advice);
  return advice;
}

/**
 * A bubble above the hand, which is also announced.
 * @param {{ advice: Advice, above: number }} properties `above`: where the hand begins
 */
export function Why({ advice, above }) {
  useEffect(() => {
    const forget = (/** @type {KeyboardEvent} */ { key }) => key === "Escape" && advice.say("", 0);
    addEventListener("keydown", forget);
    return () => removeEventListener("keydown", forget);
  }, [advice]);
  return html`<div class="why" role="status" style=${{ "--above": `${above - 4}px` }}>
    ${advice.shown && html`<p class="bubble" dir="auto">${advice.shown}</p>`}
  </div>`;
}
