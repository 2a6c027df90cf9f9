// Advice above the hand: why a card or a call that was tried is not allowed, and what a hint suggests.

import { request } from "../api/client.js";
import { Problem } from "../api/problem.js";
import { matchOf } from "../game/store.js";
import { Source } from "../source.js";
import { html, useEffect, useMemo, useSource } from "../view.js";

/** @typedef {import("../game/store.js").Game} Game */
/** @typedef {import("../game/store.js").Command} Command */

/** What is said about one version of a game, for eyes and for screen readers. */
export class Advice extends Source {
  /** @param {Game} game */
  constructor(game) {
    super();
    this.game = game;
    this.text = "";
    /** The version that the text is about. */
    this.version = 0;
    /** How many questions were asked. Only the answer to the last one is shown. */
    this.asked = 0;
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
    const { view, path } = this.game;
    if (view === null) return;
    this.asked += 1;
    const question = this.asked;
    const text = await refusal(`${path}/commands/check`, command, matchOf(view));
    if (question === this.asked && text !== null) this.say(text, view.version);
  }
}

/**
 * Why the server would refuse a command, as a sentence.
 * @param {string} path @param {Command} command @param {string} match
 * @returns {Promise<string | null>} null if it would not, or if no answer came
 */
async function refusal(path, command, match) {
  try {
    await request("POST", path, { body: command, headers: { "If-Match": match } });
    return null;
  } catch (error) {
    // The next view shows what has changed.
    if (!(error instanceof Problem) || error.code === "stale-version") return null;
    const reasons = await import("../learn/reasons.js").catch(() => null);
    return reasons?.reason(error) ?? (error.detail || error.title);
  }
}

/** The advice about a game. @param {Game} game */
export function useAdvice(game) {
  const advice = useMemo(() => new Advice(game), [game]);
  useSource(advice);
  return advice;
}

/** A bubble above the hand, which is also announced. @param {{ advice: Advice, above: number }} properties `above`: where the hand begins */
export function Why({ advice, above }) {
  const { shown } = advice;
  useEffect(() => {
    const forget = (/** @type {KeyboardEvent} */ { key }) => key === "Escape" && advice.say("", 0);
    addEventListener("keydown", forget);
    return () => removeEventListener("keydown", forget);
  }, [advice]);
  return html`<div class="why" role="status" style=${{ insetBlockEnd: `calc(100% - ${above - 4}px)` }}>${shown ? html`<p class="bubble" dir="auto">${shown}</p>` : null}</div>`;
}
