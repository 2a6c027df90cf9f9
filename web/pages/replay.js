// A finished game, step by step, verified in this browser.

import { records } from "../game/record.js";
import { loadArea, t } from "../i18n/index.js";
import { useTitle } from "../parts/page.js";
import { Refusal } from "../parts/requests.js";
import { Save, Share } from "../parts/share.js";
import { Viewer } from "../records/viewer.js";
import "../verify/index.js";
import { html, loadStyle, useEffect, useState } from "../view.js";

await Promise.all([
  loadArea("records"),
  loadArea("score"),
  loadArea("table"),
  loadStyle("cards"),
  loadStyle("records"),
  loadStyle("replay"),
]);

/** @param {{ id: string }} properties */
export default function ReplayPage({ id }) {
  useTitle(t("replay.title"));
  const [record, setRecord] = useState(/** @type {import("../game/record.js").Record | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  useEffect(() => {
    const leaving = new AbortController();
    setRecord(null);
    setError(null);
    (async () => {
      for await (const one of records(id, leaving.signal)) setRecord(one);
    })().catch((problem) => leaving.signal.aborted || setError(problem));
    return () => leaving.abort();
  }, [id]);
  return html`<h1>${t("replay.title")}</h1>
    <${Refusal} error=${record ? null : error} />
    ${record || error ? null : html`<p role="status">${t("check.running")}</p>`}
    ${record?.report.games.map(
      (game) => html`<${Viewer} key=${game.id} game=${game} known=${record.known} bots=${record.bots} />`,
    )}
    ${
      record
        ? html`<section class="panel">
      <h2>${t("replay.share")}</h2>
      <${Share} path=${`/games/${id}/replay`} label=${t("replay.share")} />
      <${Save} id=${id} text=${record.text} isBundle=${record.isLogged} />
      <p class="row"><a href=${`/games/${id}/scores`}>${t("scores.title")}</a> <a href="/check">${t("shell.check")}</a></p>
    </section>`
        : null
    }`;
}
