// The end of a game.

import { number, t } from "../i18n/index.js";
import { Share } from "../parts/share.js";
import { here } from "../router.js";
import { html } from "../view.js";

/** @param {{ game: import("../game/store.js").Game, view: import("../game/store.js").GameView }} properties */
export function Over({ game, view }) {
  const rank = (/** @type {number} */ seat) => view.scores.ranks?.[seat] ?? 0;
  const order = view.seats.map((_, seat) => seat).sort((one, other) => rank(one) - rank(other));
  const again = async () => {
    const next = await game.act("POST", "rematch", {});
    if (next) here.go(`/games/${next.id}`);
  };
  return html`<section class="panel">
    <h2>${t(`status.${view.status}`)}</h2>
    ${view.status === "finished"
      ? html`<table class="standings">
          <thead><tr>${["over.rank", "over.player", "table.total"].map((key) => html`<th key=${key} scope="col">${t(key)}</th>`)}</tr></thead>
          <tbody>${order.map((seat) => html`<tr key=${seat}>
            <td>${number(rank(seat))}</td><td><bdi>${view.seats[seat]?.player?.name}</bdi></td>
            <td>${number(view.scores.totals[seat] ?? 0)}</td></tr>`)}</tbody>
        </table>`
      : null}
    <div class="row">
      ${view.you ? html`<button onClick=${again}>${t("over.rematch")}</button>` : null}
      <a class="button quiet" href=${`/games/${view.id}/replay`}>${t("over.replay")}</a>
      <a class="button quiet" href=${`/games/${view.id}/scores`}>${t("table.scores")}</a>
      <${Share} path=${`/games/${view.id}/replay`} label=${t("over.share")} />
    </div>
  </section>`;
}
