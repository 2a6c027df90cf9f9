// Public tables, and the queue for games with strangers.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { drawSeed, tendSeed } from "../game/seeds.js";
import { sit } from "../game/tables.js";
import { here } from "../here.js";
import { loadArea, t } from "../i18n/index.js";
import { RulesetChoice } from "../parts/fields.js";
import { Games, useGames } from "../parts/games.js";
import { GuestGate, useTitle } from "../parts/page.js";
import { Refusal, useLoaded, useRulesets, useTask } from "../parts/requests.js";
import { html, useEffect, useRef, useSource, useState } from "../view.js";

await loadArea("lobby");

const REFRESH_SECONDS = 4;
const BOTS_AFTER_SECONDS = 20;

export default function Lobby() {
  useSource(session);
  const task = useTask();
  useTitle(t("lobby.title"));
  const open = useGames(session.isOpen, { status: "lobby", limit: 50 }, REFRESH_SECONDS);
  const playing = useGames(session.isOpen, { status: "playing", limit: 20 }, REFRESH_SECONDS);
  const take = (/** @type {string} */ id) => task.run(async () => here.go(`/games/${(await sit(id)).id}`));
  const seat = (/** @type {Schemas["GameSummary"]} */ { id }) =>
    html`<button class="quiet" disabled=${task.busy} onClick=${() => take(id)}>${t("lobby.join")}</button>`;
  if (!session.isOpen) return html`<h1>${t("lobby.title")}</h1><${GuestGate} />`;
  return html`
    <div class="row spread"><h1>${t("lobby.title")}</h1><a class="button" href="/new">${t("new.title")}</a></div>
    <${Refusal} error=${task.error ?? open.error} />
    <${Queue} />
    <section class="panel">
      <h2>${t("lobby.open")}</h2>
      ${open.games?.length ? null : html`<p>${t("lobby.none")}</p>`}
      <${Games} games=${open.games} end=${seat} />
    </section>
    <section class="panel">
      <h2>${t("lobby.watch")}</h2>
      <${Games} games=${playing.games} />
    </section>`;
}

/** The queue: wait for strangers; bots take the seats that stay empty. */
function Queue() {
  const task = useTask();
  const [ruleset, setRuleset] = useState(/** @type {Schemas["KnownRulesetId"]} */ ("squares"));
  const { rulesets } = useRulesets();
  const { data: entry, reload } = useLoaded("/v1/matchmaking", { seconds: 2 });
  // Whether this page saw the player wait. A game from before is among the player's own games.
  const hasWaited = useRef(false);
  useEffect(() => {
    if (entry?.status === "waiting") hasWaited.current = true;
    if (!entry?.game) return;
    // The table begins with the seeds of those who wait on this page.
    if (entry.status === "waiting")
      api("GET", "/v1/games/{id}", { path: { id: entry.game } })
        .then(tendSeed)
        .catch(() => {});
    if (hasWaited.current && entry.status === "seated") here.go(`/games/${entry.game}`);
  }, [entry]);
  const enter = async () => {
    const body = { ruleset, fill_with_bots_after: BOTS_AFTER_SECONDS, seed_commitment: await drawSeed() };
    await api("POST", "/v1/matchmaking", { body, once: true });
    hasWaited.current = true;
    reload();
  };
  const leave = async () => {
    await api("DELETE", "/v1/matchmaking");
    hasWaited.current = false;
    reload();
  };
  return html`<section class="panel">
    <h2>${t("queue.title")}</h2>
    <${Refusal} error=${task.error} />
    ${
      entry?.status === "waiting"
        ? html`<p role="status">${t("queue.waiting", { taken: entry.taken ?? 1, players: entry.players ?? 4 })}</p>
          <button class="quiet" onClick=${() => task.run(leave)}>${t("queue.leave")}</button>`
        : html`<div class="row">
          <${RulesetChoice} rulesets=${rulesets} value=${ruleset} onChange=${setRuleset} />
          <button disabled=${task.busy} onClick=${() => task.run(enter)}>${t("queue.enter")}</button>
          <small>${t("queue.bots", { seconds: BOTS_AFTER_SECONDS })}</small>
        </div>`
    }
  </section>`;
}
