// What a player has won, by ruleset.

import { loadArea, number, t } from "../i18n/index.js";
import { html } from "../view.js";
import { Refusal, useLoaded, useRulesets } from "./requests.js";

await loadArea("account");

/** A part of a whole in hundredths, or a dash. @param {number} part @param {number} whole */
const share = (part, whole) => (whole > 0 ? t("people.percent", { percent: Math.round((100 * part) / whole) }) : "–");

/** A number with one digit after the point. @param {number | null} value */
export const rounded = (value) => (value === null ? "–" : number(Math.round(10 * value) / 10));

/** The columns. @type {[string, (row: Schemas["RulesetStatistics"]) => string][]} */
const COLUMNS = [
  ["games", ({ games }) => number(games)],
  ["wins", ({ wins }) => number(wins)],
  ["made", ({ rounds, rounds_made }) => share(rounds_made, rounds)],
  ["points", ({ average_points }) => rounded(average_points)],
  ["rating", ({ rating }) => rounded(rating?.ordinal ?? null)],
];

/** @param {{ id: string }} properties the player's account */
export function Statistics({ id }) {
  const statistics = useLoaded("/v1/players/{id}/statistics", { path: { id } });
  const { rulesets } = useRulesets();
  const rows = statistics.data?.rulesets;
  if (!rows) return html`<${Refusal} error=${statistics.error} />`;
  if (rows.length === 0) return html`<p>${t("people.noGames")}</p>`;
  return html`<div class="scroll" role="region" aria-label=${t("people.statistics")} tabindex="0">
      <table class="figures">
        <thead><tr><th scope="col" class="text">${t("people.ruleset")}</th>
          ${COLUMNS.map(([name]) => html`<th key=${name} scope="col">${t(`people.${name}`)}</th>`)}</tr></thead>
        <tbody>${rows.map(
          (row) => html`<tr key=${row.ruleset}>
          <th scope="row">${rulesets.find((one) => one.id === row.ruleset)?.title ?? row.ruleset}</th>
          ${COLUMNS.map(([name, value]) => html`<td key=${name}>${value(row)}</td>`)}</tr>`,
        )}</tbody>
      </table>
    </div>
    <p><small>${t("people.statisticsAbout")}</small></p>`;
}
