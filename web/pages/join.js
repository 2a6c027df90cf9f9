// An invitation.

import { session } from "../api/session.js";
import { join } from "../game/tables.js";
import { loadArea, t } from "../i18n/index.js";
import { Refusal } from "../parts/refusal.js";
import { useTask } from "../parts/task.js";
import { here } from "../router.js";
import { html, useSource } from "../view.js";

await loadArea("join");

/** @param {{ parameters: Record<string, string> }} properties */
export default function Join({ parameters }) {
  useSource(session);
  const task = useTask();
  const take = () => task.run(async () => here.go(`/games/${(await join(parameters.code ?? "")).id}`));
  const name = session.account?.display_name;
  return html`<h1>${t("join.title")}</h1>
    <p>${t("join.code")} <code dir="ltr">${parameters.code}</code></p>
    <${Refusal} error=${task.error} />
    <div class="row">
      <button disabled=${task.busy} onClick=${take}>${name ? html`${t("join.as")} <bdi>${name}</bdi>` : t("join.guest")}</button>
      ${name ? null : html`<a class="button quiet" href="/account">${t("shell.signIn")}</a>`}
    </div>`;
}
