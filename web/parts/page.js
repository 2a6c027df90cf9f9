// What pages share: their title, and the way in for visitors without an account.

import { session } from "../api/session.js";
import { t } from "../i18n/index.js";
import { html, useEffect } from "../view.js";
import { Refusal, useTask } from "./requests.js";

/** Gives the page a title in the browser's tab and for screen readers. @param {string} title */
export function useTitle(title) {
  useEffect(() => {
    document.title = title ? `${title} · ${t("shell.home")}` : t("shell.home");
    return () => void (document.title = t("shell.home"));
  }, [title]);
}

/** What visitors came for needs an account, and a guest has one at once. */
export function GuestGate() {
  const task = useTask();
  return html`<p>${t("lobby.guest")}</p>
    <${Refusal} error=${task.error} />
    <div class="row">
      <button disabled=${task.busy} onClick=${() => task.run(() => session.ensure())}>${t("account.guest")}</button>
      <a class="button quiet" href="/account">${t("shell.signIn")}</a>
    </div>`;
}
