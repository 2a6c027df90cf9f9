// What the browser compared of a game, and what it did not compare.

import { number, t } from "../i18n/index.js";
import { html } from "../view.js";

/** @typedef {import("../verify/index.js").GameReport} GameReport */

const SYMBOLS = { passed: "✓", failed: "✗", absent: "–" };
const STATES = /** @type {const} */ ({ sound: "passed", broken: "failed", running: "absent" });

/** @param {{ verdict: GameReport["verdict"] }} properties */
export function Verdict({ verdict }) {
  const state = STATES[verdict];
  return html`<p class=${`verdict ${state}`}><span aria-hidden="true">${SYMBOLS[state]} </span>${t(`check.verdict.${verdict}`)}</p>`;
}

/** @param {{ game: GameReport, onSelect: (seq: number) => void }} properties `onSelect` shows an event */
export function Checks({ game, onSelect }) {
  const { checks, findings, verdict } = game;
  return html`<aside class="panel checks" aria-label=${t("check.title")}>
    <h2>${t("check.title")}</h2>
    <${Verdict} verdict=${verdict} />
    ${findings.length > 0
      ? html`<h3>${t("check.findings")}</h3><ul class="list">
          ${findings.map(({ seq, rule }, at) => html`<li key=${at} class="row"><code>${rule}</code>
            ${seq === null ? t("check.whole")
              : html`<button class="quiet" onClick=${() => onSelect(seq)}>${t("check.event", { seq })}</button>`}</li>`)}</ul>`
      : null}
    <ul class="list">
      ${checks.map(({ id, state, count }) => html`<li key=${id} class=${`check-line ${state}`}>
        <strong><span aria-hidden="true">${SYMBOLS[state]} </span>${t(`check.${id}`)}: ${t(`check.${state}`)}
          ${count > 0 ? ` (${number(count)})` : ""}</strong>
        <small><b>${t("check.compared")}</b> ${t(`check.${id}About`)}</small>
        <small><b>${t("check.not")}</b> ${t(`check.${id}Not`)}</small></li>`)}
    </ul>
    <p><small>${t("check.library")} ${isSecureContext ? "" : t("shell.insecure")}</small></p>
  </aside>`;
}
