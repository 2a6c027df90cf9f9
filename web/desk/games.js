// Games by their id: public facts, the state of the public log, and the end of a game that must not go on.

import { api } from "../api/client.js";
import { here } from "../here.js";
import { number, t } from "../i18n/index.js";
import { html, submitted, useState } from "../view.js";
import { ActForm } from "./act_form.js";
import { History } from "./history.js";
import { Facts, Listed, Person, useSection, when, yes } from "./parts.js";
import { mayUse } from "./roles.js";

/** The id of a game, also in the address of a page. */
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

export function Games() {
  const submit = submitted((form) => {
    const text = String(new FormData(form).get("id"));
    here.go(`/desk/games/${ID.exec(text)?.[0]}`);
  });
  return html`<h1>${t("desk.games")}</h1>
    <form class="panel search" role="search" onSubmit=${submit}>
      <label><span>${t("desk.search.game")}</span>
        <input name="id" dir="ltr" required maxlength="200" pattern=${`.*${ID.source.replace("a-f", "a-fA-F")}.*`}
          autocomplete="off" /></label>
      <button>${t("desk.search")}</button>
    </form>`;
}

/** @param {{ id: string }} properties */
export function Game({ id }) {
  const path = { id };
  const { data: game, reload, state } = useSection("/v1/admin/games/{id}", { path, seconds: 15 });
  const [isEnded, setEnded] = useState(false);
  if (!game) return html`<h1>${t("desk.game")}</h1>${state}`;
  const end = async (/** @type {Schemas["EndRequest"]} */ body) => {
    await api("POST", "/v1/admin/games/{id}/end", { path, body });
    setEnded(true);
    reload();
  };
  const isOver = ["finished", "abandoned"].includes(game.status);
  return html`<h1>${t("desk.game")}</h1>${state}
    <div class="two">
      <section class="panel"><h2>${t(`status.${game.status}`)}</h2><${Facts} pairs=${factsOf(game)} />
        ${game.trouble && html`<p class="notice"><bdi>${game.trouble}</bdi></p>`}
        <p class="row"><a href=${`/games/${game.id}`}>${t("desk.table")}</a><a href=${`/games/${game.id}/scores`}>${t("desk.scores")}</a>
          ${isOver && html`<a href=${`/games/${game.id}/replay`}>${t("desk.replay")}</a>`}</p></section>
      ${
        mayUse("reports") &&
        (isEnded || !isOver) &&
        html`<section class="panel" data-act="game_ended"><h2>${t("desk.do.game_ended")}</h2>
        <p role="status">${t(isEnded ? "desk.act.game_ended" : "desk.about.game_ended")}</p>
        ${isEnded ? null : html`<${ActForm} buttons=${[["", "", t("desk.do.game_ended")]]} send=${end} isDanger isTold />`}</section>`
      }
    </div>
    <${Listed} name="players" columns=${["seat", "player", "to_act"]} rows=${game.players.map(
      ({ place, account, bot }) => [
        number(place + 1),
        account ? html`<${Person} person=${account} />` : t("desk.bot", { level: bot ?? "" }),
        account && account.id === game.to_act?.id ? yes(true) : "",
      ],
    )} />
    <${History} name="actsOn" acts=${game.acts} isOfOne />`;
}

/** @param {Schemas["InspectedGame"]} game @returns {[string, unknown][]} */
const factsOf = (game) => [
  ["id", html`<code dir="ltr">${game.id}</code>`],
  ["ruleset", game.ruleset],
  ["visibility", t(`desk.visibility.${game.visibility}`)],
  ["version", game.version === null ? null : number(game.version)],
  ["opened_at", when(game.opened_at)],
  ["last_event_at", when(game.last_event_at)],
  ["phase", game.phase && html`<code dir="ltr">${game.phase}</code>`],
  ["start_index", game.start_index === null ? null : number(game.start_index)],
  ["end_index", game.end_index === null ? null : number(game.end_index)],
  ["signed", yes(game.signed)],
  ["packed", yes(game.packed)],
];
