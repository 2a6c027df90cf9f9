// A score sheet: a row for each round. A cell opens the lines that its points consist of.

import { number, t } from "../i18n/index.js";
import { html, useId, useState } from "../view.js";

/** @typedef {Schemas["SheetRow"]} Row */
/** @typedef {Pick<Schemas["Penalty"], "round" | "seat" | "points">} Penalty */

/** @param {Schemas["ScoreLine"]} line */
const lineValue = ({ points, factor }) => (factor === undefined ? number(points ?? 0) : `× ${number(factor)}`);

/** "3 of 5" tricks; only the tricks without a call. @param {Schemas["SheetCell"]} cell */
const taken = ({ tricks, call }) => (call ? t("scores.taken", { tricks, call: call.tricks }) : number(tricks));

/** @param {{ id: string, row: Row, seat: number, name: string, penalties: Penalty[] }} properties */
function Lines({ id, row, seat, name, penalties }) {
  const { call, lines, points, total } = /** @type {Schemas["SheetCell"]} */ (row.seats[seat]);
  return html`<div id=${id} class="score-lines">
    <p><strong><bdi>${name}</bdi></strong> · ${t("scores.roundNumber", { round: row.round })}
      ${call ? ` · ${t(`reason.${call.kind}`)} ${number(call.tricks)}` : ""}
      ${row.multiplier > 1 ? ` · ${t("scores.multiplier", { multiplier: row.multiplier })}` : ""}</p>
    <dl>
      ${lines.map((line, at) => html`<div key=${at}><dt>${t(`reason.${line.reason}`)}</dt><dd>${lineValue(line)}</dd></div>`)}
      <div class="sum"><dt>${t("scores.points")}</dt><dd>${number(points)}</dd></div>
      ${penalties.map((one, at) => html`<div key=${at}><dt>${t("scores.revoke")}</dt><dd>${number(one.points)}</dd></div>`)}
      <div class="sum"><dt>${t("scores.total")}</dt><dd>${number(total)}</dd></div>
    </dl>
  </div>`;
}

/**
 * Names, totals and ranks are by seat. Penalties are no part of the points of a round. There are ranks after the end.
 * @param {{ names: string[], rounds: Row[], totals: number[], penalties: Penalty[], ranks: number[] | null }} properties
 */
export function ScoreSheet({ names, rounds, totals, penalties, ranks }) {
  const id = useId();
  const [open, setOpen] = useState("");
  const charged = (/** @type {Row} */ row, /** @type {number} */ at) =>
    penalties.filter(({ round, seat }) => round === row.round && seat === at);
  const cell = (/** @type {Row} */ row, /** @type {number} */ seat) => {
    const result = /** @type {Schemas["SheetCell"]} */ (row.seats[seat]);
    const key = `${row.round}-${seat}`;
    return html`<td key=${seat}>
      <button class="quiet cell" aria-expanded=${open === key} aria-controls=${open === key ? `${id}-${key}` : null}
        onClick=${() => setOpen(open === key ? "" : key)}>
        <strong>${number(result.points)}</strong>
        ${charged(row, seat).map((one, at) => html`<small key=${at}>${t("scores.revoke")} ${number(one.points)}</small>`)}
        <small>${row.folded ? t("reason.folded") : taken(result)}</small>
      </button></td>`;
  };
  return html`<div class="scroll" role="region" aria-label=${t("scores.title")} tabindex="0">
    <table class="sheet">
      <thead><tr><th scope="col">${t("scores.round")}</th>
        ${names.map((name, seat) => html`<th key=${seat} scope="col"><bdi>${name}</bdi></th>`)}</tr></thead>
      <tbody>
        ${rounds.map((row) => [
          html`<tr key=${row.round}><th scope="row">${number(row.round)}
            ${row.multiplier > 1 ? html`<small> × ${number(row.multiplier)}</small>` : null}</th>
            ${names.map((_, seat) => cell(row, seat))}</tr>`,
          names.map(
            (name, seat) =>
              open === `${row.round}-${seat}` &&
              html`<tr key=${open}>
            <td colspan=${names.length + 1}><${Lines} id=${`${id}-${open}`} row=${row} seat=${seat} name=${name}
              penalties=${charged(row, seat)} /></td></tr>`,
          ),
        ])}
      </tbody>
      <tfoot>
        <tr><th scope="row">${t("scores.total")}</th>${totals.map((total, seat) => html`<td key=${seat}>${number(total)}</td>`)}</tr>
        ${
          ranks &&
          html`<tr><th scope="row">${t("over.rank")}</th>
          ${ranks.map((rank, seat) => html`<td key=${seat}>${number(rank)}${rank === 1 ? " ★" : ""}</td>`)}</tr>`
        }
      </tfoot>
    </table>
  </div>`;
}
