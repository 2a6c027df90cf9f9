// Public tables, and the queue for games with strangers.

import { newKey, request } from "../api/client.js";
import { session } from "../api/session.js";
import { drawSeed, tendSeed } from "../game/seeds.js";
import { sit } from "../game/tables.js";
import { loadArea, t } from "../i18n/index.js";
import { GameLink } from "../parts/game_link.js";
import { GuestGate } from "../parts/guest_gate.js";
import { useLoaded } from "../parts/load.js";
import { Refusal } from "../parts/refusal.js";
import { useTask } from "../parts/task.js";
import { useTitle } from "../parts/title.js";
import { here } from "../router.js";
import { html, useEffect, useRef, useSource, useState } from "../view.js";

await loadArea("lobby");

/** @typedef {import("../schema").components["schemas"]} Schemas */

const REFRESH_SECONDS = 4;
const BOTS_AFTER_SECONDS = 20;

export default function Lobby() {
  useSource(session);
  const task = useTask();
  useTitle(t("lobby.title"));
  const signedIn = session.isOpen;
  const open = useLoaded(signedIn ? "/v1/games?status=lobby&limit=50" : null, REFRESH_SECONDS);
  const playing = useLoaded(signedIn ? "/v1/games?status=playing&limit=20" : null, REFRESH_SECONDS);
  const list = (/** @type {unknown} */ page) => /** @type {Schemas["GamePage"] | null} */ (page)?.items ?? [];
  const take = (/** @type {string} */ id) => task.run(async () => here.go(`/games/${(await sit(id)).id}`));
  if (!signedIn) return html`<h1>${t("lobby.title")}</h1><${GuestGate} />`;
  return html`
    <div class="row spread"><h1>${t("lobby.title")}</h1><a class="button" href="/new">${t("new.title")}</a></div>
    <${Refusal} error=${task.error ?? open.error} />
    <${Queue} />
    <section class="panel">
      <h2>${t("lobby.open")}</h2>
      ${list(open.data).length === 0 ? html`<p>${t("lobby.none")}</p>` : null}
      <ul class="list">
        ${list(open.data).map(
          (game) => html`<${GameLink} key=${game.id} game=${game}>
            <button class="quiet" disabled=${task.busy} onClick=${() => take(game.id)}>${t("lobby.join")}</button><//>`,
        )}
      </ul>
    </section>
    <section class="panel">
      <h2>${t("lobby.watch")}</h2>
      <ul class="list">${list(playing.data).map((game) => html`<${GameLink} key=${game.id} game=${game} />`)}</ul>
    </section>`;
}

/** The queue: wait for strangers; bots take the seats that stay empty. */
function Queue() {
  const task = useTask();
  const [ruleset, setRuleset] = useState("squares");
  const rulesets = /** @type {Schemas["RulesetPage"] | null} */ (useLoaded("/v1/rulesets").data)?.items ?? [];
  const { data, reload } = useLoaded("/v1/matchmaking", 2);
  const entry = /** @type {Schemas["QueueEntry"] | null} */ (data);
  // Whether this page saw the player wait. A game from before is among the player's own games.
  const hasWaited = useRef(false);
  useEffect(() => {
    if (entry?.status === "waiting") hasWaited.current = true;
    // The table begins with the seeds of those who wait on this page.
    if (entry?.status === "waiting" && entry.game) request("GET", `/v1/games/${entry.game}`).then(({ data: view }) => tendSeed(view)).catch(() => {});
    if (hasWaited.current && entry?.status === "seated" && entry.game) here.go(`/games/${entry.game}`);
  }, [entry]);
  const enter = () =>
    task.run(async () => {
      const body = { ruleset, fill_with_bots_after: BOTS_AFTER_SECONDS, seed_commitment: await drawSeed() };
      await request("POST", "/v1/matchmaking", { body, key: newKey() });
      hasWaited.current = true;
      reload();
    });
  const leave = () =>
    task.run(async () => {
      await request("DELETE", "/v1/matchmaking");
      hasWaited.current = false;
      reload();
    });
  return html`<section class="panel">
    <h2>${t("queue.title")}</h2>
    <${Refusal} error=${task.error} />
    ${entry?.status === "waiting"
      ? html`<p role="status">${t("queue.waiting", { taken: entry.taken ?? 1, players: entry.players ?? 4 })}</p>
          <button class="quiet" onClick=${leave}>${t("queue.leave")}</button>`
      : html`<div class="row">
          <label><span>${t("new.ruleset")}</span>
            <select value=${ruleset} onChange=${(/** @type {any} */ event) => setRuleset(event.target.value)}>
              ${rulesets.map((one) => html`<option key=${one.id} value=${one.id}>${one.title}</option>`)}
            </select></label>
          <button disabled=${task.busy} onClick=${enter}>${t("queue.enter")}</button>
          <small>${t("queue.bots", { seconds: BOTS_AFTER_SECONDS })}</small>
        </div>`}
  </section>`;
}
