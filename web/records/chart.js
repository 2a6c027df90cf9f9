// The totals by round as lines. Each seat has a dash pattern and a marker of its own beside its colour.

import { number, t } from "../i18n/index.js";
import { html } from "../view.js";

/** By seat. Markers are paths around the origin. */
const STYLES = [
  { dash: "", marker: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z" },
  { dash: "9 4", marker: "M-4.500-4.500h9v9h-9z" },
  { dash: "2 4", marker: "M0-6L6 5H-6z" },
  { dash: "10 4 2 4", marker: "M0-6.500L6 0L0 6.500L-6 0z" },
  { dash: "5 3", marker: "M-5-5L5 5M-5 5L5-5" },
];
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [480, 300, 52, 14, 14, 44];

/** Round numbers between which all values lie, at most eight. @param {number[]} values */
function ticks(values) {
  const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10));
  const first = Math.floor(low / step);
  return Array.from({ length: Math.ceil(high / step) - first + 1 }, (_, at) => (first + at) * step);
}

/** A piece of the line of a seat, for the legend. @param {{ seat: number }} properties */
function Sample({ seat }) {
  return html`<svg class="line" stroke=${`var(--seat-${seat})`} viewBox="0 0 44 16" width="44" height="16" aria-hidden="true">
    <path d="M2 8H42" stroke-dasharray=${STYLES[seat]?.dash} />
    <path class="marker" d=${STYLES[seat]?.marker} transform="translate(22 8)" /></svg>`;
}

/** @param {{ names: string[], rounds: import("./sheet.js").Row[] }} properties */
export function TotalsChart({ names, rounds }) {
  const after = rounds.map(({ round, seats }) => ({ round, totals: seats.map((cell) => cell.total) }));
  const points = [{ round: (rounds[0]?.round ?? 1) - 1, totals: names.map(() => 0) }, ...after];
  const levels = ticks(points.flatMap((one) => one.totals));
  const [low, high] = [levels[0] ?? 0, levels.at(-1) ?? 1];
  const x = (/** @type {number} */ at) => LEFT + ((WIDTH - LEFT - RIGHT) * at) / Math.max(1, points.length - 1);
  const y = (/** @type {number} */ total) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - total)) / (high - low);
  const place = (/** @type {number} */ seat) => points.map((one, at) => [x(at), y(one.totals[seat] ?? 0)]);
  return html`<figure class="chart">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${t("scores.chartText")} direction="ltr">
      ${levels.map(
        (one) => html`<g key=${one} class=${one === 0 ? "level zero" : "level"}>
        <path d=${`M${LEFT} ${y(one)}H${WIDTH - RIGHT}`} />
        <text x=${LEFT - 8} y=${y(one)} text-anchor="end" dominant-baseline="central">${number(one)}</text></g>`,
      )}
      ${points.map(
        (one, at) => html`<g key=${at} class="level"><path d=${`M${x(at)} ${y(low)}v5`} />
        <text x=${x(at)} y=${y(low) + 17} text-anchor="middle">${number(one.round)}</text></g>`,
      )}
      <text x=${(LEFT + WIDTH - RIGHT) / 2} y=${HEIGHT - 6} text-anchor="middle">${t("scores.round")}</text>
      ${names.map(
        (_, seat) => html`<g key=${seat} class="line" stroke=${`var(--seat-${seat})`}>
        <path d=${`M${place(seat).join("L")}`} stroke-dasharray=${STYLES[seat]?.dash} />
        ${place(seat)
          .slice(1)
          .map(
            ([left, top], at) =>
              html`<path key=${at} class="marker" d=${STYLES[seat]?.marker} transform=${`translate(${left} ${top})`} />`,
          )}</g>`,
      )}
    </svg>
    <figcaption class="row">
      ${names.map((name, seat) => html`<span key=${seat} class="row"><${Sample} seat=${seat} /><bdi>${name}</bdi></span>`)}
    </figcaption>
  </figure>`;
}
