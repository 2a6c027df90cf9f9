// A game in a list.

import { t, time } from "../i18n/index.js";
import { html } from "../view.js";

/**
 * @param {{ game: import("../schema").components["schemas"]["GameSummary"], children?: unknown }} properties the children
 *     stand at the end of the line
 */
export function GameLink({ game, children }) {
  const names = game.own?.seats.map((seat) => seat.name) ?? [game.host.name];
  return html`<li class="row spread">
    <span>
      <a href=${`/games/${game.id}`}>${game.ruleset.title}</a>${" "}
      ${names.map((name, index) => html`<bdi key=${index}>${name}</bdi>${index < names.length - 1 ? t("shell.comma") : null}`)}
      <br /><small>${t(`status.${game.status}`)} · ${t("lobby.seats", { taken: game.taken, players: game.players })} · ${time(game.created_at)}</small>
    </span>
    ${children}
  </li>`;
}
