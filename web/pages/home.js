// The first page: play at once, and one's own games.

import { session } from "../api/session.js";
import { follow } from "../api/stream.js";
import { playAgainstBots } from "../game/tables.js";
import { t } from "../i18n/index.js";
import { GameLink } from "../parts/game_link.js";
import { useLoaded } from "../parts/load.js";
import { Refusal } from "../parts/refusal.js";
import { useTask } from "../parts/task.js";
import { here } from "../router.js";
import { html, useEffect, useSource, useState } from "../view.js";

/** @typedef {import("../schema").components["schemas"]} Schemas */

const FIRST_RULESET = "squares";

export default function Home() {
  useSource(session);
  const task = useTask();
  const [isShort, setShort] = useState(true);
  const rulesets = useLoaded(/** @type {string} */ ("/v1/rulesets"));
  const play = (/** @type {any} */ ruleset) =>
    task.run(async () => here.go(`/games/${(await playAgainstBots(ruleset, isShort)).id}`));
  const items = /** @type {Schemas["RulesetPage"] | null} */ (rulesets.data)?.items ?? [];
  return html`
    <section class="hero">
      <div class="suits" aria-hidden="true">♠♥♦♣</div>
      <h1>${t("home.title")}</h1>
      <p>${t("home.about")}</p>
      <div class="row"><button disabled=${task.busy} onClick=${() => play(FIRST_RULESET)}>${t("home.play")}</button></div>
    </section>
    <${Refusal} error=${task.error ?? rulesets.error} />
    ${session.account ? html`<${OwnGames} key=${session.account.id} />` : null}
    <section class="panel">
      <div class="row spread">
        <h2>${t("home.rulesets")}</h2>
        <label class="check"><input type="checkbox" checked=${isShort} onChange=${() => setShort(!isShort)} /> ${t("home.short")}</label>
      </div>
      <ul class="list grid">
        ${items.map(
          (one) => html`<li key=${one.id}>
            <h3>${one.title}</h3>
            <p><small>${one.description}</small></p>
            <button class="quiet" disabled=${task.busy} onClick=${() => play(one.id)}>
              ${t("home.against")}<span class="hidden">: ${one.title}</span></button>
          </li>`,
        )}
      </ul>
    </section>
    <section class="row">
      <a class="button" href="/new">${t("home.new")}</a>
      <a class="button quiet" href="/lobby">${t("home.people")}</a>
    </section>`;
}

/** The games of the player, current by the player's stream. */
function OwnGames() {
  const { data, error, reload } = useLoaded("/v1/games?mine=true&limit=12");
  useEffect(() => {
    const leaving = new AbortController();
    follow("/v1/me/stream", { signal: leaving.signal, onEvent: reload, onState: () => {} });
    return () => leaving.abort();
  }, []);
  const games = /** @type {Schemas["GamePage"] | null} */ (data)?.items ?? [];
  if (games.length === 0 && !error) return null;
  return html`<section class="panel">
    <h2>${t("home.mine")}</h2>
    <${Refusal} error=${error} />
    <ul class="list">${games.map((game) => html`<${GameLink} key=${game.id} game=${game} />`)}</ul>
  </section>`;
}
