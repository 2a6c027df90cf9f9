// For visitors without an account: what they came for needs one, and a guest has one at once.

import { ensureAccount } from "../game/tables.js";
import { t } from "../i18n/index.js";
import { html } from "../view.js";
import { Refusal } from "./refusal.js";
import { useTask } from "./task.js";

export function GuestGate() {
  const task = useTask();
  return html`<p>${t("lobby.guest")}</p>
    <${Refusal} error=${task.error} />
    <div class="row">
      <button disabled=${task.busy} onClick=${() => task.run(ensureAccount)}>${t("account.guest")}</button>
      <a class="button quiet" href="/account">${t("shell.signIn")}</a>
    </div>`;
}
