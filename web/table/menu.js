// The menu of a table: where it leads, what happened, and giving up the seat.

import { here } from "../here.js";
import { t } from "../i18n/index.js";
import { closeDialog, Dialog } from "../parts/dialog.js";
import { SettingsButton } from "../parts/settings.js";
import { html } from "../view.js";
import { Log } from "./log.js";

/** @param {{ game: Game, view: GameView, own: number | null, names: string[] }} properties */
export function Menu({ game, view, own, names }) {
  return html`<${Dialog} title=${t("felt.menu")} label=${html`<span aria-hidden="true">☰</span>`}>
    <div class="menu">
      <h2>${view.ruleset.title}</h2>
      ${view.status !== "lobby" && html`<a class="button quiet" href=${`/games/${view.id}/scores`}>${t("table.scores")}</a>`}
      <a class="button quiet" href=${`/rules/${view.ruleset.id}`}>${t("shell.rules")}</a>
      <${SettingsButton} />
      <a class="button quiet" href="/">${t("felt.home")}</a>
      <details><summary>${t("table.log")}</summary><${Log} events=${game.events} until=${view.version} names=${names} /></details>
      ${own !== null && view.status === "playing" && html`<${Forfeit} game=${game} own=${own} />`}
      <button onClick=${closeDialog}>${t("felt.close")}</button>
    </div>
  </${Dialog}>`;
}

/** Giving up the seat, after a question. @param {{ game: Game, own: number }} properties */
function Forfeit({ game, own }) {
  const leave = async (/** @type {Event} */ event) => {
    closeDialog(event);
    if (await game.leave(own)) here.go("/");
  };
  return html`<${Dialog} title=${t("table.forfeit")} kind="danger">
    <div class="menu">
      <p>${t("table.forfeitAbout")}</p>
      <button class="danger" onClick=${leave}>${t("table.forfeit")}</button>
      <button class="quiet" onClick=${closeDialog}>${t("table.stay")}</button>
    </div>
  </${Dialog}>`;
}
