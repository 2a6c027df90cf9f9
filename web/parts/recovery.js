// Recovery codes: shown once, after a player has registered or asked for new ones.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { loadArea, t } from "../i18n/index.js";
import { html } from "../view.js";
import { Refusal, useTask } from "./requests.js";
import { CopyButton, saveFile } from "./share.js";

await loadArea("account");

/**
 * Codes that are shown once.
 * @param {{ codes: string[], name: string }} properties `name`: of the file in which they can be saved
 */
export function Codes({ codes, name }) {
  const text = codes.join("\n");
  return html`<ol>${codes.map((code) => html`<li key=${code}><code dir="ltr">${code}</code></li>`)}</ol>
    <div class="row"><${CopyButton} text=${text} />
      <button type="button" class="quiet" onClick=${() => saveFile(name, text)}>${t("recovery.save")}</button></div>`;
}

/** What a player keeps for the day on which the password is lost, or the phone. */
export function RecoveryCodes() {
  const task = useTask();
  const codes = session.recoveryCodes;
  const renew = () =>
    task.run(async () => {
      session.recoveryCodes = (await api("POST", "/v1/me/recovery-codes")).codes;
      session.changed();
    });
  return html`<section class="panel recovery">
    <h2>${t("recovery.title")}</h2>
    <p>${t(codes.length > 0 ? "recovery.keep" : "recovery.about")}</p>
    ${codes.length > 0 && html`<${Codes} codes=${codes} name="recovery-codes.txt" />`}
    <${Refusal} error=${task.error} />
    <div class="row">
      <button class="quiet" disabled=${task.busy} onClick=${renew}>${t("recovery.new")}</button>
    </div>
  </section>`;
}
