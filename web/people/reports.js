// The player's own reports, with what moderators answered.

import { session } from "../api/session.js";
import { loadArea, t, time } from "../i18n/index.js";
import { useLoaded } from "../parts/requests.js";
import { html } from "../view.js";

await loadArea("people");

/** Reports and appeals, the newest first; nothing without one. */
export function Reports() {
  const { data } = useLoaded("/v1/me/reports");
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  return html`<section class="panel" data-list="reports">
    <h2>${t("report.own")}</h2>
    <ul class="list">${items.map(
      ({
        id,
        player,
        game,
        about,
        text,
        created_at,
        state,
        answer,
      }) => html`<li key=${id} class="report" data-state=${state}>
      <p><strong>${t(`report.about.${about}`)}</strong> · <${Reported} id=${player} />${time(created_at)}
        ${game && html` · <a href=${`/games/${game}`}>${t("report.game")}</a>`}</p>
      <p><q dir="auto">${text}</q></p>
      <p><span class="badge">${t(`report.state.${state}`)}</span>${answer && html` <q dir="auto">${answer}</q>`}</p>
    </li>`,
    )}</ul>
  </section>`;
}

/**
 * Who was reported; nothing for an appeal, and for a player whom the reporter does not see.
 * @param {{ id: string }} properties
 */
function Reported({ id }) {
  const { data: profile } = useLoaded(id === session.account?.id ? null : "/v1/players/{id}", { path: { id } });
  return profile && html`<a href=${`/players/${id}`}><bdi>${profile.display_name}</bdi></a> · `;
}
