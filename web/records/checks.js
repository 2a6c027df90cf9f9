// What the browser compared of a game, and what it did not compare.

import { number, t } from "../i18n/index.js";
import { html } from "../view.js";

/** @typedef {import("../verify/index.js").GameReport} GameReport */

const SYMBOLS = { passed: "✓", failed: "✗", unchecked: "?", absent: "–" };
const STATES = /** @type {const} */ ({ sound: "passed", broken: "failed", unchecked: "unchecked", running: "absent" });

/** @param {GameReport} game */
export const verdictOf = ({ verdict, fileKeys }) => t(verdict === "sound" && fileKeys.length > 0 ? "check.verdict.byFile" : `check.verdict.${verdict}`);

/** @param {{ game: GameReport }} properties */
export function Verdict({ game }) {
  const state = STATES[game.verdict];
  return html`<p class=${`verdict ${state}`}><span aria-hidden="true">${SYMBOLS[state]} </span>${verdictOf(game)}</p>`;
}

/** @param {{ game: GameReport, onSelect: (seq: number) => void }} properties `onSelect` shows an event */
export function Checks({ game, onSelect }) {
  const { checks, findings, fileKeys, isStartKept } = game;
  const not = (/** @type {string} */ id) => (id === "start" && isStartKept ? "check.startKept" : `check.${id}Not`);
  return html`<aside class="panel checks" aria-label=${t("check.title")}>
    <h2>${t("check.title")}</h2>
    <${Verdict} game=${game} />
    ${fileKeys.length > 0
      ? html`<p><small>${t("check.fileKeys")}</small></p>
        <ul class="list">${fileKeys.map((key) => html`<li key=${key}><code dir="ltr">${key}</code></li>`)}</ul>`
      : null}
    ${findings.length > 0
      ? html`<h3>${t("check.findings")}</h3><ul class="list">
          ${findings.map(({ seq, rule, check }, at) => html`<li key=${at} class="row"><code>${rule}</code>
            ${seq === null ? t(check === "chain" ? "check.whole" : `check.${check}`)
              : html`<button class="quiet" onClick=${() => onSelect(seq)}>${t("check.event", { seq })}</button>`}</li>`)}</ul>`
      : null}
    <ul class="list">
      ${checks.map(({ id, state, count }) => html`<li key=${id} class=${`check-line ${state}`}>
        <strong><span aria-hidden="true">${SYMBOLS[state]} </span>${t(`check.${id}`)}: ${t(`check.${state}`)}
          ${count > 0 ? ` (${number(count)})` : ""}</strong>
        <small><b>${t("check.compared")}</b> ${t(`check.${id}About`)}</small>
        <small><b>${t("check.not")}</b> ${t(not(id))}</small></li>`)}
    </ul>
    <p><small>${t("check.library")} ${isSecureContext ? "" : t("shell.insecure")}</small></p>
  </aside>`;
}
