// The result of a round: calls, tricks, points with their lines, and what comes next.

import { SYMBOLS } from "../game/cards.js";
import { loadArea, number, signed, t } from "../i18n/index.js";
import { Word } from "../learn/word.js";
import { html, useEffect, useId, useRef } from "../view.js";
import { namesOf, ownSeat } from "./names.js";

await loadArea("score");

/** @typedef {import("../schema").components["schemas"]} Schemas */
/** @typedef {Schemas["ScoredRound"]} Score */
/** @typedef {import("../game/store.js").GameView} GameView */
/** @typedef {import("../show/shown.js").Shown} Shown */

/** @type {Record<string, string>} */
const TRUMPS = { clubs: SYMBOLS.C, diamonds: SYMBOLS.D, hearts: SYMBOLS.H, spades: SYMBOLS.S };

/** The reasons that the glossary explains. */
const EXPLAINED = [
  "made", "bidder", "with", "risk", "double_risk", "dash", "dash_call", "blind_dash", "high_call", "only_winner", "kabooot", "folded",
];

/** The result of the round that has just ended: a sheet, or a strip while the player must act. @param {{ shown: Shown }} properties */
export function RoundSheet({ shown }) {
  if (!shown.round) return null;
  const { score, view } = shown.round;
  const next = shown.game.view ?? view;
  const close = () => shown.continue();
  if (shown.isStrip) return html`<${Strip} score=${score} view=${view} show=${() => shown.expand()} close=${close} />`;
  return html`<${Sheet} key=${score.round} score=${score} view=${view} next=${next} close=${close} />`;
}

/** @param {{ score: Score, view: GameView, show: () => void, close: () => void }} properties */
function Strip({ score, view, show, close }) {
  const own = ownSeat(view);
  const names = namesOf(view);
  return html`<section class="round-strip" aria-label=${t("scores.roundNumber", { round: score.round })}>
    <ul>
      ${score.points.map((points, seat) => html`<li key=${seat} class=${seat === own ? "own" : ""}>
        <bdi>${seat === own ? t("felt.you") : names[seat]}</bdi> <${Points} value=${points} />
      </li>`)}
    </ul>
    <button class="quiet" aria-label=${t("sheet.showRound")} onClick=${show}>${t("sheet.show")}</button>
    <button class="quiet" data-continue aria-label=${t("felt.close")} onClick=${close}>✕</button>
  </section>`;
}

/** @param {{ score: Score, view: GameView, next: GameView, close: () => void }} properties */
function Sheet({ score, view, next, close }) {
  const id = useId();
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  const press = (/** @type {KeyboardEvent} */ { key }) => {
    if (key === "Escape") close();
  };
  const isFolded = score.lines.some((lines) => lines.some(({ reason }) => reason === "folded"));
  const heads = ["sheet.player", "sheet.call", "sheet.took", "scores.points", "scores.total"];
  return html`<section class="round-sheet" role="dialog" aria-labelledby=${id} onKeyDown=${press}>
    <h2 id=${id}>
      ${t("scores.roundNumber", { round: score.round })}
      ${score.multiplier > 1 ? html` <span class="badge">${t("scores.multiplier", { multiplier: score.multiplier })}</span>` : null}
    </h2>
    ${isFolded ? html`<p>${t("sheet.folded")}</p>` : null}
    <table>
      <thead><tr>${heads.map((key) => html`<th key=${key} scope="col">${t(key)}</th>`)}</tr></thead>
      <tbody>${score.points.map((_, seat) => html`<${Row} key=${seat} score=${score} view=${view} seat=${seat} />`)}</tbody>
    </table>
    <p class="next">${nextWords(score, next)}</p>
    <button ref=${button} class="primary" data-continue onClick=${close}>${t("sheet.continue")}</button>
  </section>`;
}

/** @param {{ score: Score, view: GameView, seat: number }} properties */
function Row({ score, view, seat }) {
  const isOwn = seat === ownSeat(view);
  const call = score.calls.find((one) => one.seat === seat);
  const isMissed = call !== undefined && call.tricks !== score.tricks[seat];
  return html`<tr class=${isOwn ? "own" : ""} data-missed=${isMissed ? "" : null}>
    <th scope="row">
      <bdi>${isOwn ? t("felt.you") : namesOf(view)[seat]}</bdi>
      <small class="lines">
        ${linesOf(score, seat).map(({ reason, text }, at) => html`<span key=${at}><${Explained} reason=${reason}>${text}</${Explained}></span>`)}
      </small>
    </th>
    <td>
      ${call ? callWords(score, seat, view.round?.trump ?? null) : "–"}
      ${roles(score, seat).map((role) => html`<small key=${role}>
        <${Explained} reason=${role}>${t(`table.${role}`)}</${Explained}>
      </small>`)}
    </td>
    <td>${number(score.tricks[seat] ?? 0)}</td>
    <td><${Points} value=${score.points[seat] ?? 0} /></td>
    <td>${number(score.totals[seat] ?? 0)}</td>
  </tr>`;
}

/** @param {{ value: number }} properties */
function Points({ value }) {
  const kind = value > 0 ? "plus" : value < 0 ? "minus" : "";
  return html`<strong class=${`points ${kind}`}>${signed(value)}</strong>`;
}

/** "5 ♥", "3", or the name of a dash. @param {Score} score @param {number} seat @param {string | null} trump */
function callWords({ calls }, seat, trump) {
  const call = calls.find((one) => one.seat === seat);
  if (!call) return "";
  if (call.kind === "dash_call" || call.kind === "blind_dash") return t(`reason.${call.kind}`);
  if (call.kind !== "bid" || trump === null) return number(call.tricks);
  return `${number(call.tricks)} ${TRUMPS[trump] ?? t("felt.noTrump")}`;
}

/** With and Risk. @param {Score} score @param {number} seat @returns {string[]} */
const roles = ({ withs, risk }, seat) => [...(withs.includes(seat) ? ["with"] : []), ...(risk === seat ? ["risk"] : [])];

/** Words that open their explanation, if there is one. @param {{ reason: string, children: unknown }} properties */
function Explained({ reason, children }) {
  return EXPLAINED.includes(reason) ? html`<${Word} word=${reason}>${children}</${Word}>` : children;
}

/**
 * How far the tricks are from the call, and the lines of the points.
 * @param {Score} score
 * @param {number} seat
 * @returns {{ reason: string, text: string }[]}
 */
export function linesOf({ calls, tricks, lines }, seat) {
  const call = calls.find((one) => one.seat === seat);
  const off = call ? (tricks[seat] ?? 0) - call.tricks : 0;
  const distance = off === 0 ? [] : [{ reason: "", text: t(off > 0 ? "sheet.over" : "sheet.under", { count: Math.abs(off) }) }];
  const parts = lines[seat]?.map(({ reason, points, factor }) => {
    const value = factor === undefined ? signed(points ?? 0) : `× ${number(factor)}`;
    return { reason: /** @type {string} */ (reason), text: `${t(`reason.${reason}`)} ${value}` };
  });
  return [...distance, ...(parts ?? [])];
}

/** What the next round is. @param {Score} score @param {GameView} next the present view @returns {string} */
export function nextWords({ round, next_carry: carry }, next) {
  const coming = next.round;
  if (next.status !== "playing" || !coming || coming.number <= round) return t("sheet.nextEnd");
  const dealer = coming.dealer ?? -1;
  const who = namesOf(next)[dealer] ?? "";
  return [
    dealer === ownSeat(next) ? t("sheet.nextYou") : t("sheet.next", { who }),
    t("sheet.nextCards", { count: coming.hand_size }),
    carry > 1 ? t("sheet.nextTimes", { times: carry }) : "",
  ].join(" ").trim();
}
