// The score sheet of a family that plays with real cards. The server scores each round; the browser keeps the sheet.

import { loadArea, t } from "../i18n/index.js";
import { PlayersChoice, RulesetChoice } from "../parts/fields.js";
import { useTitle } from "../parts/page.js";
import { Refusal, useRulesets } from "../parts/requests.js";
import { TotalsChart } from "../records/chart.js";
import { kept } from "../records/kept_sheet.js";
import { RoundForm } from "../records/round_form.js";
import { ScoreSheet } from "../records/sheet.js";
import { Options, chosen } from "../table/options.js";
import { html, loadStyle, useSource, useState, valued } from "../view.js";

await Promise.all([loadArea("records"), loadArea("score"), loadArea("lobby"), loadArea("table"), loadStyle("records")]);

/** @typedef {import("../records/kept_sheet.js").Sheet} Sheet */

/** Adds a round unless another tab has added it. @param {Schemas["ScoreRequest"]} round @param {Schemas["ScoreAnswer"]} score */
function add(
  { round, folded = false, calls, tricks },
  { points, lines, bidder, withs, risk, multiplier, next_carry, penalties },
) {
  kept.update(({ names, rounds }) => {
    if (round !== rounds.length + 1) return {};
    const seats = names.map((_, seat) => {
      const call = calls?.find((one) => one.seat === seat);
      const charges = penalties.map((one) => (one.seat === seat ? one.points : 0));
      const before = rounds.at(-1)?.row.seats[seat]?.total ?? 0;
      return {
        call: call ? { ...call, with: withs.includes(seat), risk: risk === seat } : null,
        tricks: tricks?.[seat] ?? 0,
        points: points[seat] ?? 0,
        lines: lines[seat] ?? [],
        total: charges.reduce((sum, one) => sum + one, before + (points[seat] ?? 0)),
      };
    });
    return {
      rounds: [...rounds, { row: { round, folded, multiplier, bidder, seats }, revokes: penalties, carry: next_carry }],
    };
  });
}

/**
 * The rules and the players. The rules stay as they are after the first round.
 * @param {{ rulesets: Schemas["Ruleset"][] }} properties
 */
function Setup({ rulesets }) {
  const { ruleset: id, options, names, rounds } = kept.sheet;
  const ruleset = rulesets.find((one) => one.id === id);
  const set = (/** @type {Partial<Sheet>} */ changed) => kept.update(() => changed);
  const seats = (/** @type {number} */ count) => Array.from({ length: count }, (_, seat) => names[seat] ?? "");
  return html`<details class="panel" open=${rounds.length === 0}><summary>${t("calculator.setup")}</summary>
    <div class="grid">
      <${RulesetChoice} rulesets=${rulesets} value=${id} disabled=${rounds.length > 0}
        onChange=${(/** @type {string} */ chosenId) => set({ ruleset: chosenId, options: {}, names: seats(4) })}>
        <small>${ruleset?.description}</small><//>
      <${PlayersChoice} ruleset=${id} value=${names.length} disabled=${rounds.length > 0}
        onChange=${(/** @type {number} */ count) => set({ names: seats(count) })} />
      ${names.map(
        (name, seat) => html`<label key=${seat}><span>${t("calculator.player", { number: seat + 1 })}</span>
        <input value=${name} maxlength="40" dir="auto" onInput=${valued((value) =>
          set({ names: names.map((one, at) => (at === seat ? value : one)) }),
        )} /></label>`,
      )}
    </div>
    ${
      ruleset && rounds.length === 0
        ? html`<details><summary>${t("new.options")}</summary><${Options} options=${ruleset.options}
      values=${options} onChange=${(/** @type {Sheet["options"]} */ changed) => set({ options: changed })} /></details>`
        : null
    }
  </details>`;
}

export default function CalculatorPage() {
  useSource(kept);
  useTitle(t("shell.calculator"));
  const { ruleset: id, options, names, rounds } = kept.sheet;
  const [isClearing, setClearing] = useState(false);
  const { rulesets, error } = useRulesets();
  const ruleset = rulesets.find((one) => one.id === id);
  const shown = names.map((name, seat) => name || t("calculator.player", { number: seat + 1 }));
  const rows = rounds.map((one) => one.row);
  const last = rounds.at(-1);
  const clear = () => {
    setClearing(!isClearing);
    if (isClearing) kept.update(() => ({ rounds: [] }));
  };
  return html`<h1>${t("shell.calculator")}</h1>
    <p>${last ? ruleset?.title : t("calculator.about")}</p>
    <${Refusal} error=${error} />
    <${Setup} key=${last ? "playing" : "new"} rulesets=${rulesets} />
    ${
      last
        ? html`<${ScoreSheet} names=${shown} rounds=${rows} totals=${last.row.seats.map((cell) => cell.total)} ranks=${null}
          penalties=${rounds.flatMap(({ row, revokes }) => revokes.map((one) => ({ ...one, round: row.round })))} />
        <p class="row">
          <button class="quiet"
            onClick=${() => kept.update((now) => ({ rounds: now.rounds.slice(0, -1) }))}>${t("calculator.undo")}</button>
          <button class="quiet" onClick=${() => print()}>${t("calculator.print")}</button>
          <button class="danger" onClick=${clear} onBlur=${() => setClearing(false)}>
            ${t(isClearing ? "calculator.clearAll" : "calculator.clear")}</button></p>`
        : null
    }
    ${
      ruleset &&
      html`<${RoundForm} key=${`${id} ${names.length} ${rounds.length} ${options.length}`} ruleset=${id} names=${shown}
      options=${chosen(ruleset.options, options)} round=${rounds.length + 1} carry=${last?.carry ?? 1} onScored=${add} />`
    }
    ${rows.length > 1 ? html`<${TotalsChart} names=${shown} rounds=${rows} />` : null}`;
}
