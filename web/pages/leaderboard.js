// The strongest players of each ruleset.

import { request } from "../api/client.js";
import { session } from "../api/session.js";
import { loadArea, number, t } from "../i18n/index.js";
import { GuestGate } from "../parts/guest_gate.js";
import { useLoaded } from "../parts/load.js";
import { Refusal } from "../parts/refusal.js";
import { rounded } from "../parts/statistics.js";
import { useTask } from "../parts/task.js";
import { useTitle } from "../parts/title.js";
import { loadStyle } from "../styles.js";
import { html, useEffect, useSource, useState } from "../view.js";

await Promise.all([loadArea("people"), loadStyle("records")]);

/** @typedef {import("../schema").components["schemas"]} Schemas */

const FIRST_RULESET = "plain";

/** Rated games that a player needs to be listed. */
const RATED_GAMES = 10;

export default function LeaderboardPage() {
  useSource(session);
  useTitle(t("shell.leaderboard"));
  const [ruleset, setRuleset] = useState(FIRST_RULESET);
  const { data, error } = useLoaded(/** @type {string} */ ("/v1/rulesets"));
  const rulesets = /** @type {Schemas["RulesetPage"] | null} */ (data)?.items ?? [];
  return html`<h1>${t("shell.leaderboard")}</h1>
    <p>${t("people.leaderboardAbout", { games: RATED_GAMES })}</p>
    <${Refusal} error=${error} />
    <div class="row choices" role="group" aria-label=${t("people.ruleset")}>
      ${rulesets.map((one) => html`<button key=${one.id} class=${one.id === ruleset ? "" : "quiet"} aria-pressed=${one.id === ruleset}
        onClick=${() => setRuleset(one.id)}>${one.title}</button>`)}
    </div>
    ${session.isOpen ? html`<${Board} key=${ruleset} ruleset=${ruleset} />` : html`<${GuestGate} />`}`;
}

/** @param {{ ruleset: string }} properties */
function Board({ ruleset }) {
  const path = `/v1/leaderboards/${ruleset}`;
  const { data, error } = useLoaded(/** @type {string} */ (path));
  const [page, setPage] = useState(/** @type {Schemas["LeaderboardPage"] | null} */ (null));
  const task = useTask();
  useEffect(() => setPage(data), [data]);
  const more = () =>
    task.run(async () => {
      const next = (await request("GET", `${path}?cursor=${encodeURIComponent(page?.next_cursor ?? "")}`)).data;
      setPage({ ...next, items: [...(page?.items ?? []), ...next.items] });
    });
  if (!page) return html`<${Refusal} error=${error} />`;
  if (page.items.length === 0) return html`<p class="panel">${t("people.nobody")}</p>`;
  return html`<div class="scroll panel" role="region" aria-label=${t("shell.leaderboard")} tabindex="0">
      <table class="figures">
        <thead><tr><th scope="col" class="text">${t("people.rank")}</th><th scope="col" class="text">${t("people.player")}</th>
          <th scope="col">${t("people.rating")}</th><th scope="col">${t("people.games")}</th></tr></thead>
        <tbody>${page.items.map(({ rank, player, rating }) => html`<tr key=${player.id} class=${player.id === session.account?.id ? "own" : ""}>
          <td class="text">${number(rank)}</td><th scope="row"><a href=${`/players/${player.id}`}><bdi>${player.name}</bdi></a></th>
          <td>${rounded(rating.ordinal)}</td><td>${number(rating.games)}</td></tr>`)}</tbody>
      </table>
    </div>
    <${Refusal} error=${task.error} />
    ${page.next_cursor ? html`<button class="quiet" disabled=${task.busy} onClick=${more}>${t("people.more")}</button>` : null}`;
}
