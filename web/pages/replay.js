// A finished game, step by step, verified in this browser.

import { request } from "../api/client.js";
import { session } from "../api/session.js";
import { t } from "../i18n/index.js";
import { Refusal } from "../parts/refusal.js";
import { Share } from "../parts/share.js";
import { useTask } from "../parts/task.js";
import { Viewer } from "../records/viewer.js";
import { verify } from "../verify/index.js";
import { html, useEffect, useMemo, useState } from "../view.js";

/** @typedef {import("../schema").components["schemas"]["GameView"]} GameView */
/** Loads and verifies a game. The names of the players are not in the record. @param {string} id */
async function load(id) {
  const path = `/v1/games/${id}`;
  const get = async (/** @type {string} */ from, /** @type {Record<string, string>} */ headers = {}) =>
    (await request("GET", from, { headers })).data;
  const [text, keys, logKeys, proof, view] = await Promise.all([
    get(`${path}/history`, { Accept: "application/x-ndjson" }),
    get("/.well-known/jwks.json"),
    get("/log/key"),
    // The public log has the game some seconds after its end.
    get(`${path}/proof`).catch(() => null),
    session.isOpen ? /** @type {Promise<GameView>} */ (get(path)).catch(() => null) : null,
  ]);
  const names = view?.seats.flatMap(({ player }) => (player?.id ? [[player.id, player.name]] : [])) ?? [];
  // The first line is the key of the log, the second one that of its witness.
  const log = proof && { proof, key: logKeys.split("\n")[0] };
  return { report: await verify(text, { keys, log }), known: Object.fromEntries(names), text };
}

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
