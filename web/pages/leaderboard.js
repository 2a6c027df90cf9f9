// The strongest players of each ruleset.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { loadArea, number, t } from "../i18n/index.js";
import { GuestGate, useTitle } from "../parts/page.js";
import { Refusal, useLoaded, useRulesets, useTask } from "../parts/requests.js";
import { rounded } from "../parts/statistics.js";
import { html, loadStyle, useEffect, useSource, useState } from "../view.js";

await Promise.all([loadArea("account"), loadStyle("records")]);

/** Rated games that a player needs to be listed. */
const RATED_GAMES = 10;

export default function LeaderboardPage() {
  useSource(session);
  useTitle(t("shell.leaderboard"));
  const [ruleset, setRuleset] = useState("plain");
  const { rulesets, error } = useRulesets();
  return html`<h1>${t("shell.leaderboard")}</h1>
    <p>${t("people.leaderboardAbout", { games: RATED_GAMES })}</p>
    <${Refusal} error=${error} />
    <div class="row choices" role="group" aria-label=${t("people.ruleset")}>
      ${rulesets.map(
        (
          one,
        ) => html`<button key=${one.id} class=${one.id === ruleset ? "" : "quiet"} aria-pressed=${one.id === ruleset}
        onClick=${() => setRuleset(one.id)}>${one.title}</button>`,
      )}
    </div>
    ${session.isOpen ? html`<${Board} key=${ruleset} ruleset=${ruleset} />` : html`<${GuestGate} />`}`;
}

/** @param {{ ruleset: string }} properties */
function Board({ ruleset }) {
  const path = { ruleset };
  const { data, error } = useLoaded("/v1/leaderboards/{ruleset}", { path });
  const [page, setPage] = useState(/** @type {Schemas["LeaderboardPage"] | null} */ (null));
  const task = useTask();
  useEffect(() => setPage(data), [data]);
  const more = async () => {
    const next = await api("GET", "/v1/leaderboards/{ruleset}", { path, query: { cursor: page?.next_cursor ?? "" } });
    setPage({ ...next, items: [...(page?.items ?? []), ...next.items] });
  };
  if (!page) return html`<${Refusal} error=${error} />`;
  if (page.items.length === 0) return html`<p class="panel">${t("people.nobody")}</p>`;
  return html`<div class="scroll panel" role="region" aria-label=${t("shell.leaderboard")} tabindex="0">
      <table class="figures">
        <thead><tr><th scope="col" class="text">${t("people.rank")}</th><th scope="col" class="text">${t("people.player")}</th>
          <th scope="col">${t("people.rating")}</th><th scope="col">${t("people.games")}</th></tr></thead>
        <tbody>${page.items.map(
          (
            { rank, player, rating },
            index,
          ) => html`<tr key=${index} class=${player && player.id === session.account?.id ? "own" : ""}>
          <td class="text">${number(rank)}</td><th scope="row">
            ${
              player
                ? html`<a href=${`/players/${player.id}`}><bdi>${player.name}</bdi></a>`
                : html`<span>${t("people.unnamed")}</span>`
            }</th>
          <td>${rounded(rating.ordinal)}</td><td>${number(rating.games)}</td></tr>`,
        )}</tbody>
      </table>
    </div>
    <${Refusal} error=${task.error} />
    ${
      page.next_cursor
        ? html`<button class="quiet" disabled=${task.busy} onClick=${() => task.run(more)}>${t("people.more")}</button>`
        : null
    }`;
}
