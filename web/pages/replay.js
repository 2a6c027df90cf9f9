// A finished game, step by step, verified in this browser.

import { load } from "../game/record.js";
import { t } from "../i18n/index.js";
import { Refusal } from "../parts/refusal.js";
import { Share } from "../parts/share.js";
import { useTask } from "../parts/task.js";
import { Viewer } from "../records/viewer.js";
import { html, useEffect, useMemo, useState } from "../view.js";

/** @param {{ parameters: Record<string, string> }} properties */
export default function ReplayPage({ parameters }) {
  const id = parameters.id ?? "";
  const [record, setRecord] = useState(/** @type {Awaited<ReturnType<typeof load>> | null} */ (null));
  const task = useTask();
  useEffect(() => void task.run(async () => setRecord(await load(id))), [id]);
  const file = useMemo(() => record && URL.createObjectURL(new Blob([record.text])), [record]);
  return html`<h1>${t("replay.title")}</h1>
    <${Refusal} error=${task.error} />
    ${task.busy && html`<p role="status">${t("check.running")}</p>`}
    ${record?.report.games.map((game) =>
      html`<${Viewer} key=${game.id} game=${game} known=${record.known} />`)}
    ${record ? html`<section class="panel">
      <h2>${t("replay.share")}</h2>
      <${Share} path=${`/games/${id}/replay`} label=${t("replay.share")} />
      <p class="row"><a href=${`/games/${id}/scores`}>${t("scores.title")}</a>
        <a href=${file} download=${`${id}.ndjson`}>${t("replay.download")}</a> <a href="/check">${t("shell.check")}</a></p>
    </section>` : null}`;
}
