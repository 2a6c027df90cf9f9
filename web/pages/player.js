// A player: profile, statistics, ratings and recent games.

import { session } from "../api/session.js";
import { loadArea, number, t, time } from "../i18n/index.js";
import { GameLink } from "../parts/game_link.js";
import { GuestGate } from "../parts/guest_gate.js";
import { useLoaded } from "../parts/load.js";
import { Refusal } from "../parts/refusal.js";
import { Statistics } from "../parts/statistics.js";
import { useTitle } from "../parts/title.js";
import { loadStyle } from "../styles.js";
import { html, useSource } from "../view.js";

await Promise.all([loadArea("people"), loadStyle("records")]);

/** @typedef {import("../schema").components["schemas"]} Schemas */

/** @param {{ parameters: Record<string, string> }} properties */
export default function PlayerPage({ parameters }) {
  useSource(session);
  if (!session.isOpen) return html`<h1>${t("people.player")}</h1><${GuestGate} />`;
  return html`<${Player} id=${parameters.id ?? ""} />`;
}

/** @param {{ id: string }} properties */
function Player({ id }) {
  const { data, error } = useLoaded(`/v1/players/${encodeURIComponent(id)}`);
  const profile = /** @type {Schemas["PlayerProfile"] | null} */ (data);
  useTitle(profile?.display_name ?? t("people.player"));
  if (!profile) {
    return html`<h1>${t("people.player")}</h1><${Refusal} error=${error} />
      ${error ? null : html`<p role="status">${t("shell.loading")}</p>`}`;
  }
  const isOwn = session.account?.id === id;
  return html`<header class="profile">
      <h1><bdi>${profile.display_name}</bdi></h1>
      <p>${t(`people.kind.${profile.kind}`)}${profile.since ? ` · ${t("people.since", { at: time(profile.since) })}` : ""}</p>
      <p class="row">
        ${isOwn ? html`<a href="/account">${t("people.account")}</a>` : null}
        <a href="/leaderboard">${t("shell.leaderboard")}</a>
      </p>
    </header>
    <section class="panel"><h2>${t("people.statistics")}</h2><${Statistics} id=${id} /></section>
    ${profile.broken_off ? html`<${BrokenOff} counts=${profile.broken_off} />` : null}
    <${Games} id=${id} />`;
}

/** What others waited for in vain. Nothing is shown of a player who broke nothing off. @param {{ counts: Schemas["BrokenOff"] }} properties */
function BrokenOff({ counts }) {
  const lines = Object.entries(counts).filter(([, count]) => count > 0);
  if (lines.length === 0) return null;
  return html`<section class="panel"><h2>${t("people.brokenOff")}</h2>
    <dl class="pairs">${lines.map(([name, count]) => html`<div key=${name}><dt>${t(`people.${name}`)}</dt><dd>${number(count)}</dd></div>`)}</dl>
  </section>`;
}

/** @param {{ id: string }} properties */
function Games({ id }) {
  const { data, error } = useLoaded(`/v1/players/${encodeURIComponent(id)}/games?limit=10`);
  const games = /** @type {Schemas["GamePage"] | null} */ (data)?.items ?? [];
  return html`<section class="panel"><h2>${t("people.recent")}</h2>
    <${Refusal} error=${error} />
    ${data && games.length === 0 ? html`<p>${t("people.noPublicGames")}</p>` : null}
    <ul class="list">${games.map((game) => html`<${GameLink} key=${game.id} game=${game} />`)}</ul>
  </section>`;
}
