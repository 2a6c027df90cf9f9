// The bar over the felt: title, round, trump, the last trick, and the button of the menu.

import { Card } from "../cards/card.js";
import { number, t } from "../i18n/index.js";
import { closeDialog, Dialog } from "../parts/dialog.js";
import { html, lazy } from "../view.js";
import { trumpSymbol } from "./token.js";

const Menu = lazy(async () => (await import("./menu.js")).Menu);
const SettingsButton = lazy(async () => (await import("../parts/settings.js")).SettingsButton);

/** @typedef {Schemas["RoundView"]} RoundView */

/**
 * @param {{ game: Game, view: GameView, own: number | null, names: string[], buttons: unknown }} properties `buttons`:
 *     those before the menu
 */
export function Bar({ game, view, own, names, buttons }) {
  const { round } = view;
  return html`<div class="felt-bar">
    <h1>${view.ruleset.title}</h1>
    ${round && html`<${RoundPills} round=${round} />`}
    <span class="felt-bar-end">
      ${view.status === "playing" && html`<${LastTrick} round=${round} names=${names} />`}
      <span class="roomy"><${SettingsButton} label=${html`<span aria-hidden="true">⚙︎</span>`} /></span>
      ${buttons}
      <${Menu} game=${game} view=${view} own=${own} names=${names} />
    </span>
  </div>`;
}

/** @param {{ round: RoundView }} properties */
export function RoundPills({ round: { number: round, of, trump, indicator, multiplier } }) {
  return html`${
    round > 0 &&
    html`<span class="pill" role="img" aria-label=${t("table.round", { number: round, of })}>
      <span class="roomy">${t("felt.roundWord")}</span> ${number(round)} / ${number(of)}</span>`
  }
    ${
      trump &&
      html`<span class="pill trump" role="img" aria-label=${`${t("table.trump")}: ${t(`trump.${trump}`)}`}>
      <span class="roomy">${t("table.trump")}</span> <b class="suit"
        style=${{ "--suit": `var(--${trump})` }}>${trumpSymbol(trump)}</b></span>`
    }
    ${indicator && html`<span class="turned"><${Card} card=${indicator} size="small" /></span>`}
    ${
      multiplier > 1 &&
      html`<span class="pill" role="img" aria-label=${t("felt.multiplier", { times: multiplier })}>
      ×${number(multiplier)}</span>`
    }`;
}

/** The trick before this one, with its winner. @param {{ round: RoundView | null, names: string[] }} properties */
function LastTrick({ round, names }) {
  const trick = round?.last_trick;
  // The winner of a trick leads the next one.
  const winner = round?.trick?.leader;
  const label = html`<span class="roomy">${t("table.lastTrick")}</span><span class="tight pile" aria-hidden="true"></span>`;
  return html`<${Dialog} title=${t("table.lastTrick")} label=${label} isEmpty=${!trick}>
    <div>
      <h2>${t("table.lastTrick")}</h2>
      ${
        trick
          ? html`<ul class="last-trick" dir="ltr">${trick.plays.map(
              ({ seat, card }) => html`<li key=${card} class=${seat === winner ? "won" : ""}>
              <${Card} card=${card} state=${seat === winner ? "won" : null} /><bdi>${names[seat]}</bdi></li>`,
            )}</ul>
            ${winner !== undefined && html`<p>${t("felt.winner", { who: names[winner] ?? "" })}</p>`}`
          : html`<p>${t("felt.noLast")}</p>`
      }
      <button onClick=${closeDialog}>${t("felt.close")}</button>
    </div>
  </${Dialog}>`;
}
