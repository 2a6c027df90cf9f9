// The score sheet of a game, during the game too.

import { useGame } from "../game/store.js";
import { loadArea, number, t } from "../i18n/index.js";
import { useTitle } from "../parts/page.js";
import { Refusal, useLoaded } from "../parts/requests.js";
import { TotalsChart } from "../records/chart.js";
import { ScoreSheet } from "../records/sheet.js";
import { html, loadStyle, useEffect } from "../view.js";

await Promise.all([loadArea("records"), loadArea("score"), loadArea("table"), loadStyle("records")]);

/** @param {{ id: string }} properties */
export default function ScoresPage({ id }) {
  useTitle(t("scores.title"));
  const path = `/games/${id}`;
  const { view, error } = useGame(id);
  const loaded = useLoaded(view ? "/v1/games/{id}/scores" : null, { path: { id } });
  const sheet = loaded.data;
  // The view says when there is more to load.
  const { rounds, penalties } = view?.scores ?? { rounds: [], penalties: [] };
  useEffect(() => void (sheet && loaded.reload()), [rounds.length, penalties.length, view?.status]);
  const given = view?.seats.map(({ player }, seat) => player?.name ?? t("replay.seat", { seat })) ?? [];
  // People may have the same name, and the name of a bot.
  const names = given.map((name, seat) =>
    given.indexOf(name) === given.lastIndexOf(name) ? name : `${name} ${number(seat)}`,
  );
  return html`<h1>${t("scores.title")}</h1>
    <p class="row">
      ${view && html`<span>${view.ruleset.title} · ${t(`status.${view.status}`)}</span>`}
      <a href=${path}>${t("scores.table")}</a>
      ${view?.status === "finished" || view?.status === "abandoned" ? html`<a href=${`${path}/replay`}>${t("replay.title")}</a>` : null}
    </p>
    <${Refusal} error=${(view ? null : error) ?? loaded.error} />
    ${sheet?.rounds.length === 0 ? html`<p>${t("scores.none")}</p>` : null}
    ${
      sheet &&
      sheet.rounds.length > 0 &&
      html`<p><small>${t("scores.about")}</small></p>
      <${ScoreSheet} ...${sheet} names=${names} />
      <h2>${t("scores.chart")}</h2>
      <${TotalsChart} names=${names} rounds=${sheet.rounds} />`
    }`;
}
