// What the browser compared of a game, and what it did not compare.

import { number, t } from "../i18n/index.js";
import { html } from "../view.js";

const SYMBOLS = { passed: "✓", failed: "✗", unchecked: "?", absent: "–" };
const STATES = /** @type {const} */ ({
  sound: "passed",
  broken: "failed",
  cut: "unchecked",
  unchecked: "unchecked",
  running: "absent",
});

/** @param {GameReport} game */
export const verdictOf = ({ verdict, fileKeys }) =>
  t(verdict === "sound" && fileKeys.length > 0 ? "check.verdict.byFile" : `check.verdict.${verdict}`);

/** @param {{ game: GameReport }} properties */
export function Verdict({ game }) {
  const state = STATES[game.verdict];
  return html`<p class=${`verdict ${state}`}><span aria-hidden="true">${SYMBOLS[state]} </span>${verdictOf(game)}</p>`;
}

/** @param {{ finding: import("../verify/index.js").Finding, game: GameReport, onSelect: (seq: number) => void }} properties */
function Found({ finding: { seq, rule, check }, game, onSelect }) {
  const words = t(`found.${game.verdict === "cut" ? "unfinished" : rule}`);
  const place =
    seq === null || seq > game.events.length
      ? html`<small>${t(seq !== null || check === "chain" ? "check.whole" : `check.${check}`)}</small>`
      : html`<button class="quiet" onClick=${() => onSelect(seq)}>${t("check.event", { seq })}</button>`;
  return html`<li class="row" data-rule=${rule}><span>${words}</span> ${place}</li>`;
}

/** @param {{ game: GameReport, onSelect: (seq: number) => void }} properties `onSelect` shows an event */
export function Checks({ game, onSelect }) {
  const { checks, findings, fileKeys, isStartKept } = game;
  const not = (/** @type {string} */ id) => (id === "start" && isStartKept ? "check.startKept" : `check.${id}Not`);
  return html`<aside class="panel checks" aria-label=${t("check.title")}>
    <h2>${t("check.title")}</h2>
    <${Verdict} game=${game} />
    ${
      fileKeys.length > 0 &&
      html`<p><small>${t("check.fileKeys")}</small></p>
      <ul class="list">${fileKeys.map((key) => html`<li key=${key}><code dir="ltr">${key}</code></li>`)}</ul>`
    }
    ${
      findings.length > 0 &&
      html`<h3>${t("check.findings")}</h3><ul class="list">
      ${findings.map((finding, at) => html`<${Found} key=${at} finding=${finding} game=${game} onSelect=${onSelect} />`)}</ul>`
    }
    <ul class="list">
      ${checks.map(
        ({ id, state, count }) => html`<li key=${id} class=${`check-line ${state}`}>
        <strong><span aria-hidden="true">${SYMBOLS[state]} </span>${t(`check.${id}`)}: ${t(`check.${state}`)}
          ${count > 0 ? ` (${number(count)})` : ""}</strong>
        <small><b>${t("check.compared")}</b> ${t(`check.${id}About`)}</small>
        <small><b>${t("check.not")}</b> ${t(not(id))}</small></li>`,
      )}
    </ul>
    <p><small>${t("check.library")} ${isSecureContext ? "" : t("shell.insecure")}</small></p>
  </aside>`;
}
