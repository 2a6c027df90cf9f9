// What is said aloud: what happens, and answers to the keys.

import { loadArea, t } from "../i18n/index.js";
import { Source } from "../source.js";
import { html, useEffect, useMemo, useSource } from "../view.js";
import { Narrator } from "./narrator.js";

await loadArea("ears");

/** @typedef {import("../show/shown.js").Shown} Shown */

/** So many sentences stay on the page. Screen readers read each when it appears. */
const KEPT = 40;

export class Voice extends Source {
  /** @param {Shown} shown */
  constructor(shown) {
    super();
    this.shown = shown;
    this.narrator = new Narrator();
    /** The sentences so far. @type {{ id: number, text: string }[]} */
    this.said = [];
    /** The answer to the last question. @type {{ id: number, text: string } | null} */
    this.answer = null;
    this.count = 0;
    /** The last event that was told. @type {number | null} */
    this.seq = null;
    /** The version whose turn was told. */
    this.turn = 0;
  }

  /** Tells what the table shows until the returned function is called. */
  follow() {
    this.take();
    return this.shown.subscribe(() => this.take());
  }

  /** Answers a question at once. @param {string} text */
  reply(text) {
    this.answer = this.sentence(text);
    this.changed();
  }

  /** Drops old sentences, after the new ones have appeared on the page. */
  forget() {
    this.said = this.said.slice(-KEPT);
  }

  /** @private */
  take() {
    const { view, seq, game, legal } = this.shown;
    if (!view) return;
    // The page was opened, or the server has an earlier state.
    if (this.seq === null || seq < this.seq) [this.seq, this.narrator] = [seq, new Narrator()];
    const from = this.seq;
    const news = game.events.filter((one) => one.seq > from && one.seq <= seq);
    // Events are missing: the trick before them is over.
    const rest = news.length < seq - from ? this.narrator.rest(view) : [];
    const sentences = [...rest, ...news.flatMap((one) => this.narrator.tell(one, view))];
    this.seq = seq;
    if (legal.some(({ type }) => type !== "resume") && this.turn !== view.version) {
      this.turn = view.version;
      sentences.push(...this.narrator.turn(view));
    }
    if (sentences.length === 0) return;
    this.said = [...this.said, ...sentences.map((text) => this.sentence(text))];
    this.changed();
  }

  /** @private @param {string} text */
  sentence(text) {
    this.count += 1;
    return { id: this.count, text };
  }
}

/** The voice of a table. @param {Shown} shown */
export function useVoice(shown) {
  const voice = useMemo(() => new Voice(shown), [shown]);
  useEffect(() => voice.follow(), [voice]);
  return voice;
}

/** @param {{ voice: Voice }} properties */
export function Announcer({ voice }) {
  useSource(voice);
  useEffect(() => voice.forget());
  return html`<div class="hidden announcer">
    <div role="log" aria-live="polite" aria-label=${t("keys.announcer")}>
      ${voice.said.map(({ id, text }) => html`<p key=${id}>${text}</p>`)}
    </div>
    <div role="status" aria-live="assertive">${voice.answer ? html`<p key=${voice.answer.id}>${voice.answer.text}</p>` : null}</div>
  </div>`;
}
