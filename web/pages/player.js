// A player: profile, statistics, ratings and recent games.

import { session } from "../api/session.js";
import { loadArea, number, t, time } from "../i18n/index.js";
import { Games } from "../parts/games.js";
import { GuestGate, useTitle } from "../parts/page.js";
import { Refusal, useLoaded } from "../parts/requests.js";
import { Statistics } from "../parts/statistics.js";
import { Relations } from "../people/relate.js";
import { html, loadStyle, useSource } from "../view.js";

await Promise.all([loadArea("account"), loadStyle("records")]);

/** @param {{ id: string }} properties */
export default function PlayerPage({ id }) {
  useSource(session);
  const { isOpen } = session;
  const { data: profile, error } = useLoaded(isOpen ? "/v1/players/{id}" : null, { path: { id } });
  const recent = useLoaded(isOpen ? "/v1/players/{id}/games" : null, { path: { id }, query: { limit: 10 } });
  useTitle(profile?.display_name ?? t("people.player"));
  if (!isOpen) return html`<h1>${t("people.player")}</h1><${GuestGate} />`;
  if (!profile) {
    return html`<h1>${t("people.player")}</h1><${Refusal} error=${error} />
      ${error ? null : html`<p role="status">${t("shell.loading")}</p>`}`;
  }
  const isOwn = session.account?.id === id;
  return html`<header class="profile">
      <h1><bdi>${profile.display_name}</bdi></h1>
      <p>${t(`people.kind.${profile.kind}`)}${profile.since ? ` · ${t("people.since", { at: time(profile.since) })}` : ""}</p>
      <p class="row">
        ${isOwn ? html`<a href="/account">${t("account.title")}</a>` : null}
        <a href="/leaderboard">${t("shell.leaderboard")}</a>
      </p>
      ${
        isOwn || profile.kind === "deleted"
          ? null
          : html`<div class="row"><${Relations} player=${{ id, name: profile.display_name }} game=${null} /></div>`
      }
    </header>
    <section class="panel"><h2>${t("people.statistics")}</h2><${Statistics} id=${id} /></section>
    ${profile.broken_off ? html`<${BrokenOff} counts=${profile.broken_off} />` : null}
    <section class="panel"><h2>${t("people.recent")}</h2>
      <${Refusal} error=${recent.error} />
      ${recent.data?.items?.length === 0 ? html`<p>${t("people.noPublicGames")}</p>` : null}
      <${Games} games=${recent.data?.items} />
    </section>`;
}

/**
 * What others waited for in vain. Nothing is shown of a player who broke nothing off.
 * @param {{ counts: Schemas["BrokenOff"] }} properties
 */
function BrokenOff({ counts }) {
  const lines = Object.entries(counts).filter(([, count]) => count > 0);
  if (lines.length === 0) return null;
  return html`<section class="panel"><h2>${t("people.brokenOff")}</h2>
    <dl class="pairs">${lines.map(
      ([name, count]) => html`<div key=${name}><dt>${t(`people.${name}`)}</dt><dd>${number(count)}</dd></div>`,
    )}</dl>
  </section>`;
}
