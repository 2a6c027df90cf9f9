// Lists of games.

import { t, time } from "../i18n/index.js";
import { html } from "../view.js";
import { useLoaded } from "./requests.js";

/**
 * Public games, or the player's own ones; null until they are loaded.
 * @param {boolean} isWanted @param {Needed<"GET", "/v1/games">["query"]} query @param {number} seconds as of `useLoaded`
 */
export function useGames(isWanted, query, seconds) {
  const { data, error, reload } = useLoaded(isWanted ? "/v1/games" : null, { query, seconds });
  return { games: data?.items ?? null, error, reload };
}

/**
 * @typedef {Schemas["GameSummary"]} GameSummary
 * @param {{ games: GameSummary[] | null | undefined, end?: (game: GameSummary) => unknown }} properties `end` makes the end of a line
 */
export function Games({ games, end }) {
  return html`<ul class="list">${games?.map((game) => {
    const names = game.own?.seats.map((seat) => seat.name) ?? [game.host.name];
    const seats = t("lobby.seats", { taken: game.taken, players: game.players });
    return html`<li key=${game.id} class="row spread">
      <span>
        <a href=${`/games/${game.id}`}>${game.ruleset.title}</a>${" "}
        ${names.map((name, index) => html`<bdi key=${index}>${name}</bdi>${index < names.length - 1 ? t("shell.comma") : null}`)}
        <br /><small>${t(`status.${game.status}`)} · ${seats} · ${time(game.created_at)}</small>
      </span>
      ${end?.(game)}
    </li>`;
  })}</ul>`;
}
