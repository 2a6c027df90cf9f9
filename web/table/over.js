// The end of a game.

import { records } from "../game/record.js";
import { newCommitment } from "../game/seeds.js";
import { number, t } from "../i18n/index.js";
import { Share } from "../parts/share.js";
import { here } from "../router.js";
import { html, useEffect, useState } from "../view.js";

/** @param {{ game: import("../game/store.js").Game, view: import("../game/store.js").GameView }} properties */
export function Over({ game, view }) {
  const rank = (/** @type {number} */ seat) => view.scores.ranks?.[seat] ?? 0;
  const order = view.seats.map((_, seat) => seat).sort((one, other) => rank(one) - rank(other));
  const again = async () => {
    const next = await game.act("POST", "rematch", { seed_commitment: newCommitment() });
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
    <${Recorded} id=${view.id} />
    <div class="row">
      ${view.you ? html`<button onClick=${again}>${t("over.rematch")}</button>` : null}
      <a class="button quiet" href=${`/games/${view.id}/replay`}>${t("over.replay")}</a>
      <a class="button quiet" href=${`/games/${view.id}/scores`}>${t("table.scores")}</a>
      <${Share} path=${`/games/${view.id}/replay`} label=${t("over.share")} />
    </div>
  </section>`;
}

/** One line that says whether the game was dealt and recorded as promised, with the page behind it. @param {{ id: string }} properties */
function Recorded({ id }) {
  const [state, setState] = useState(/** @type {"waits" | "sound" | "broken" | "unknown"} */ ("waits"));
  useEffect(() => {
    const leaving = new AbortController();
    (async () => {
      /** @type {typeof state} */
      let found = "unknown";
      for await (const { isLogged, verdict } of records(id, leaving.signal)) {
        if (isLogged) found = verdict === "unchecked" ? "unknown" : verdict === "sound" ? "sound" : "broken";
      }
      return found;
    })().catch(() => /** @type {const} */ ("unknown")).then((found) => leaving.signal.aborted || setState(found));
    return () => leaving.abort();
  }, [id]);
  return html`<p role="status" data-recorded=${state}><a href=${`/games/${id}/replay`}>${t(`over.recorded.${state}`)}</a></p>`;
}
