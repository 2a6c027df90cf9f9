// A player's own games: those that wait for the player first, then the running ones, then the others.

import { follow } from "../api/stream.js";
import { isolated, loadArea, t } from "../i18n/index.js";
import { html, useEffect } from "../view.js";
import { Games, useGames } from "./games.js";
import { Refusal } from "./requests.js";

await loadArea("home");

/** How many games are listed of those that are over. */
const MOST_OVER = 3;

/** The place of a game in the list: lower comes first. @param {Schemas["GameSummary"]} game */
function order({ status, own }) {
  if (own?.your_turn) return 0;
  if (status === "playing") return 1;
  return status === "lobby" ? 2 : 3;
}

/** The games in the order of the list. @param {Schemas["GameSummary"][]} games the newest first */
export function ordered(games) {
  const sorted = games.toSorted((one, other) => order(one) - order(other));
  const over = sorted.findIndex((game) => order(game) === 3);
  return over < 0 ? sorted : sorted.slice(0, over + MOST_OVER);
}

/** Whose turn it is, in words. @param {Schemas["GameSummary"]} game */
export function turnOf({ own }) {
  if (own?.your_turn) return t("home.yourTurn");
  const awaited = own?.awaited.map((one) => one.seat ?? one.place) ?? [];
  const names = own?.seats.filter(({ seat }) => awaited.includes(seat)).map(({ name }) => isolated(name)) ?? [];
  return names.length > 0 ? t("home.turnOf", { who: names.join(t("shell.comma")) }) : "";
}

/** The list. The player's stream says when it is the player's turn; the turns of others are loaded now and then. */
export function OwnGames() {
  const { games, error, reload } = useGames(true, { mine: true, limit: 20 }, 15);
  useEffect(() => {
    const leaving = new AbortController();
    follow("/v1/me/stream", { signal: leaving.signal, onEvent: reload });
    return () => leaving.abort();
  }, []);
  if (!games?.length && !error) return null;
  const turn = (/** @type {Schemas["GameSummary"]} */ game) =>
    turnOf(game) && html`<span class=${`badge ${game.own?.your_turn ? "turn" : ""}`}>${turnOf(game)}</span>`;
  return html`<section class="panel own-games">
    <h2>${t("home.mine")}</h2>
    <${Refusal} error=${error} />
    <${Games} games=${ordered(games ?? [])} end=${turn} />
  </section>`;
}
