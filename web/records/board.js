// The table of a replay: all hands open, the trick, and the calls against the tricks.

import { Card } from "../cards/card.js";
import { sorted } from "../game/cards.js";
import { number, t } from "../i18n/index.js";
import { html } from "../view.js";

/** @typedef {import("./state.js").Table} Table */

/** @param {string} trump */
export const trumpName = (trump) => t(`trump.${trump}`);

/** What a player called, against the tricks taken. @param {import("./state.js").Call | null} call @param {number} tricks */
function standing(call, tricks) {
  if (call === null) return "";
  if (call.tricks === null) return t("said.pass");
  const words = `${t(`reason.${call.kind}`)} ${number(call.tricks)}${call.trump ? ` ${trumpName(call.trump)}` : ""}`;
  return `${words} · ${t("scores.taken", { tricks, call: call.tricks })}`;
}

/** @param {{ table: Table, names: string[] }} properties */
export function Board({ table, names }) {
  const { round, trump, indicator, trick, winner, points, ranks } = table;
  const badge = (/** @type {string} */ key) => html`<span class="badge">${t(key)}</span>`;
  return html`<div class="board">
    <div class="felt">
      <p class="row spread">
        <strong>${round > 0 ? t("scores.roundNumber", { round }) : t(`status.${table.status}`)}
          ${table.attempt > 1 ? ` · ${t("replay.attempt", { attempt: table.attempt })}` : ""}</strong>
        <span class="row">${trump ? `${t("table.trump")}: ${trumpName(trump)}` : ""}
          ${indicator ? html`<${Card} card=${indicator} size="small" />` : null}</span>
      </p>
      <ol class="trick" aria-label=${t("felt.trick")}>
        ${trick.map(
          ({ seat, card }) => html`<li key=${card} class=${seat === winner ? "won" : ""}>
          <${Card} card=${card} /><span><bdi>${names[seat]}</bdi>${seat === winner ? " ★" : ""}</span></li>`,
        )}
      </ol>
    </div>
    <ul class="list">
      ${names.map(
        (name, seat) => html`<li key=${seat} class=${seat === table.active ? "active" : ""}>
        <p class="row">
          <strong><bdi>${name}</bdi></strong>
          ${seat === table.dealer ? badge("table.dealer") : null} ${seat === table.bidder ? badge("reason.bidder") : null}
          <span>${standing(table.calls[seat] ?? null, table.tricks[seat] ?? 0)}</span>
          <span class="end">${points ? html`<small>${t("scores.points")} ${number(points[seat] ?? 0)} · </small>` : null}
            ${t("scores.total")} <strong>${number(table.totals[seat] ?? 0)}</strong>
            ${ranks ? ` · ${t("over.rank")} ${number(ranks[seat] ?? 0)}` : ""}</span>
        </p>
        <div class="cards">${sorted(table.hands[seat] ?? [], trump).map(
          (card) => html`<${Card} key=${card} card=${card} size="small" />`,
        )}</div>
      </li>`,
      )}
    </ul>
  </div>`;
}
