// The menu of a table: where it leads, what happened, and giving up the seat.

import { t } from "../i18n/index.js";
import { SettingsButton } from "../parts/settings.js";
import { here } from "../router.js";
import { html, useRef } from "../view.js";
import { closeOutside } from "./dialog.js";
import { Log } from "./log.js";

/** @typedef {import("../game/store.js").GameView} GameView */
/** @typedef {import("../game/store.js").Game} Game */

/** @param {{ game: Game, view: GameView, own: number | null, names: string[] }} properties */
export function Menu({ game, view, own, names }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  return html`<button class="plain" aria-label=${t("felt.menu")} onClick=${() => dialog.current?.showModal()}><span aria-hidden="true">☰</span></button>
    <dialog ref=${dialog} class="felt-dialog" aria-label=${t("felt.menu")} onClick=${closeOutside}>
      <div class="menu">
        <h2>${view.ruleset.title}</h2>
        ${view.status === "lobby" ? null : html`<a class="button quiet" href=${`/games/${view.id}/scores`}>${t("table.scores")}</a>`}
        <a class="button quiet" href=${`/rules/${view.ruleset.id}`}>${t("shell.rules")}</a>
        <${SettingsButton} />
        <a class="button quiet" href="/">${t("felt.home")}</a>
        <details><summary>${t("table.log")}</summary><${Log} events=${game.events} until=${view.version} names=${names} /></details>
        ${own !== null && view.status === "playing" ? html`<${Forfeit} game=${game} own=${own} />` : null}
        <button onClick=${() => dialog.current?.close()}>${t("felt.close")}</button>
      </div>
    </dialog>`;
}

/** Giving up the seat, after a question. @param {{ game: Game, own: number }} properties */
function Forfeit({ game, own }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const leave = async () => {
    dialog.current?.close();
    if (await game.act("DELETE", `seats/${own}`)) here.go("/");
  };
  return html`<button class="danger" onClick=${() => dialog.current?.showModal()}>${t("table.forfeit")}</button>
    <dialog ref=${dialog} class="felt-dialog" aria-label=${t("table.forfeit")}>
      <div class="menu">
        <p>${t("table.forfeitAbout")}</p>
        <button class="danger" onClick=${leave}>${t("table.forfeit")}</button>
        <button class="quiet" onClick=${() => dialog.current?.close()}>${t("table.stay")}</button>
      </div>
    </dialog>`;
}
