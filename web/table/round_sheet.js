// The result of a round: calls, tricks, points with their lines, and what comes next.

import { namesOf, ownSeat } from "../game/seats.js";
import { loadArea, number, signed, t } from "../i18n/index.js";
import { Word } from "../learn/word.js";
import { html, useEffect, useId, useRef } from "../view.js";
import { bidText, isDash } from "./token.js";

await loadArea("score");

/** @typedef {Schemas["ScoredRound"]} Score */
/** @typedef {import("../show/queue.js").Result} Result */

/** The reasons that the glossary explains. */
const EXPLAINED = [
  "made",
  "bidder",
  "with",
  "risk",
  "double_risk",
  "dash",
  "dash_call",
  "blind_dash",
  "high_call",
  "only_winner",
  "kabooot",
  "folded",
];

/**
 * The result of the round that has just ended: a sheet, or a strip while the player must act.
 * @param {{ shown: Shown }} properties
 */
export function RoundSheet({ shown }) {
  const { round, isStrip } = shown;
  if (!round) return null;
  if (isStrip) return html`<${Strip} ...${round} shown=${shown} />`;
  return html`<${Sheet} key=${round.score.round} ...${round} shown=${shown} />`;
}

/** @param {Result & { shown: Shown }} properties */
function Strip({ score, view, shown }) {
  return html`<section class="round-strip" aria-label=${t("scores.roundNumber", { round: score.round })}>
    <ul>
      ${score.points.map(
        (points, seat) => html`<li key=${seat} class=${seat === ownSeat(view) ? "own" : ""}>
        <${Name} view=${view} seat=${seat} /> <${Points} view=${view} value=${points} />
      </li>`,
      )}
    </ul>
    <button class="quiet" aria-label=${t("sheet.showRound")} onClick=${() => shown.expand()}>${t("sheet.show")}</button>
    <button class="quiet" data-continue aria-label=${t("felt.close")} onClick=${() => shown.continue()}>✕</button>
  </section>`;
}

/** @param {Result & { shown: Shown }} properties */
function Sheet({ score, view, shown }) {
  const id = useId();
  /** @type {Ref<HTMLButtonElement>} */
  const button = useRef(null);
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  const press = (/** @type {KeyboardEvent} */ { key }) => key === "Escape" && shown.continue();
  const isFolded = score.lines.flat().some(({ reason }) => reason === "folded");
  const heads = ["sheet.player", "sheet.call", "sheet.took", "scores.points", "scores.total"];
  return html`<section class="round-sheet" role="dialog" aria-labelledby=${id} onKeyDown=${press}>
    <h2 id=${id}>
      ${t("scores.roundNumber", { round: score.round })}
      ${score.multiplier > 1 && html` <span class="badge">${t("scores.multiplier", { multiplier: score.multiplier })}</span>`}
    </h2>
    ${isFolded && html`<p>${t("sheet.folded")}</p>`}
    <table>
      <thead><tr>${heads.map((key) => html`<th key=${key} scope="col">${t(key)}</th>`)}</tr></thead>
      <tbody>${score.points.map((_, seat) => html`<${Row} key=${seat} score=${score} view=${view} seat=${seat} />`)}</tbody>
    </table>
    <p class="next">${nextWords(score, shown.game.view ?? view)}</p>
    <button ref=${button} class="primary" data-continue onClick=${() => shown.continue()}>${t("sheet.continue")}</button>
  </section>`;
}

/** @param {Result & { seat: number }} properties */
function Row({ score, view, seat }) {
  const call = score.calls.find((one) => one.seat === seat);
  const isMissed = call !== undefined && call.tricks !== score.tricks[seat];
  const roles = [...(score.withs.includes(seat) ? ["with"] : []), ...(score.risk === seat ? ["risk"] : [])];
  return html`<tr class=${seat === ownSeat(view) ? "own" : ""} data-missed=${isMissed ? "" : null}>
    <th scope="row">
      <${Name} view=${view} seat=${seat} />
      <small class="lines">
        ${linesOf(score, seat).map(
          ({ reason, text }, at) => html`<span key=${at}><${Explained} reason=${reason}>${text}</${Explained}></span>`,
        )}
      </small>
    </th>
    <td>
      ${call ? callWords(call, view.round?.trump) : "–"}
      ${roles.map((role) => html`<small key=${role}><${Explained} reason=${role}>${t(`table.${role}`)}</${Explained}></small>`)}
    </td>
    <td>${number(score.tricks[seat] ?? 0)}</td>
    <td><${Points} view=${view} value=${score.points[seat] ?? 0} /></td>
    <td>${number(score.totals[seat] ?? 0)}</td>
  </tr>`;
}

/** @param {{ view: GameView, seat: number }} properties */
function Name({ view, seat }) {
  return html`<bdi>${seat === ownSeat(view) ? t("felt.you") : namesOf(view)[seat]}</bdi>`;
}

/** In `nineteen` points are penalties. @param {{ view: GameView, value: number }} properties */
function Points({ view: { ruleset }, value }) {
  if (ruleset.id === "nineteen")
    return html`<strong class=${`points ${value > 0 ? "minus" : "plus"}`}>${number(value)}</strong>`;
  const kind = value > 0 ? "plus" : value < 0 ? "minus" : "";
  return html`<strong class=${`points ${kind}`}>${signed(value)}</strong>`;
}

/** "5 ♥", "3", or the name of a dash. @param {Score["calls"][number]} call @param {Schemas["Trump"] | null} [trump] */
function callWords({ kind, tricks }, trump) {
  return isDash(kind) ? t(`reason.${kind}`) : bidText(tricks, kind === "bid" ? trump : null);
}

/** Words that open their explanation, if there is one. @param {{ reason: string, children: unknown }} properties */
function Explained({ reason, children }) {
  return EXPLAINED.includes(reason) ? html`<${Word} word=${reason}>${children}</${Word}>` : children;
}

/** How far the tricks are from the call, and the lines of the points. @param {Score} score @param {number} seat */
export function linesOf({ calls, tricks, lines }, seat) {
  const call = calls.find((one) => one.seat === seat);
  const off = call ? (tricks[seat] ?? 0) - call.tricks : 0;
  const distance =
    off === 0 ? [] : [{ reason: "", text: t(off > 0 ? "sheet.over" : "sheet.under", { count: Math.abs(off) }) }];
  const parts = lines[seat]?.map(({ reason, points, factor }) => {
    const value = factor === undefined ? signed(points ?? 0) : `× ${number(factor)}`;
    return { reason: /** @type {string} */ (reason), text: `${t(`reason.${reason}`)} ${value}` };
  });
  return [...distance, ...(parts ?? [])];
}

/** What the next round is. @param {Score} score @param {GameView} next the present view */
export function nextWords({ round, next_carry: carry }, next) {
  const coming = next.round;
  if (next.status !== "playing" || !coming || coming.number <= round) return t("sheet.nextEnd");
  const dealer = coming.dealer ?? -1;
  return [
    dealer === ownSeat(next) ? t("sheet.nextYou") : t("sheet.next", { who: namesOf(next)[dealer] ?? "" }),
    t("sheet.nextCards", { count: coming.hand_size }),
    ...(carry > 1 ? [t("sheet.nextTimes", { times: carry })] : []),
  ].join(" ");
}
