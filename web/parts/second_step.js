// The second step of signing in, with an authenticator app: the dialog that asks for a code, and the section of the account page.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { loadArea, t } from "../i18n/index.js";
import { html, render, useEffect, useState } from "../view.js";
import { Form } from "./fields.js";
import { Codes } from "./recovery.js";
import { Refusal, useLoaded, useTask } from "./requests.js";
import { CopyButton } from "./share.js";

await loadArea("ways");

/** The field for a code of the app. */
const codeField = () => ({ name: "code", label: t("step.code"), mode: "numeric", completion: "one-time-code" });

/** Asks for a code, over whatever the page shows. Returns whether the session has passed; not if the player cancelled. */
export async function askForCode() {
  const dialog = document.body.appendChild(
    Object.assign(document.createElement("dialog"), { className: "second-step", ariaLabel: t("step.title") }),
  );
  render(html`<${CodeForm} dialog=${dialog} />`, dialog);
  dialog.showModal();
  await new Promise((resolve) => (dialog.onclose = resolve));
  dialog.remove();
  return dialog.returnValue === "passed";
}

/** @param {{ dialog: HTMLDialogElement }} properties */
function CodeForm({ dialog }) {
  const [field, setField] = useState(codeField);
  const send = async (/** @type {Schemas["SecondStepCode"]} */ body) => {
    await api("POST", "/v1/sessions/current/second-step", { body, fleeting: true });
    dialog.close("passed");
    session.changed();
  };
  // A code on paper has letters.
  const takePaper = () => setField({ ...field, label: t("step.paper"), mode: "text" });
  return html`<${Form} kind="fields" title=${t("step.title")} about=${t("step.ask")} fields=${[field]} button=${t("step.send")} send=${send}
    extra=${html`<button type="button" class="quiet" onClick=${() => dialog.close()}>${t("step.cancel")}</button>
      ${field.mode === "numeric" && html`<button type="button" class="quiet" onClick=${takePaper}>${t("step.paper")}</button>`}`} />`;
}

/** The second step of the own account. */
export function SecondStep() {
  const { data: step, reload } = useLoaded("/v1/me/second-step");
  useEffect(() => session.subscribe(reload), []);
  const task = useTask();
  const [app, setApp] = useState(/** @type {Schemas["SecondStepSecret"] | null} */ (null));
  const [codes, setCodes] = useState(/** @type {string[]} */ ([]));
  if (!step) return null;
  const start = () => task.run(async () => setApp(await api("POST", "/v1/me/second-step")));
  const show = (/** @type {string[]} */ made) => {
    setCodes(made);
    setApp(null);
    reload();
  };
  const confirm = async (/** @type {Schemas["SecondStepCode"]} */ body) =>
    show((await api("PUT", "/v1/me/second-step", { body })).codes);
  const remove = () => task.run(() => api("DELETE", "/v1/me/second-step").then(() => show([])));
  const state = app ? "step.setApp" : codes.length > 0 ? "step.keep" : step.set_up ? "step.left" : "step.about";
  return html`<section class="panel fields second-step">
    <h2>${t("step.title")}</h2>
    <p role="status">${t(state, { count: step.codes_left })}</p>
    ${
      app &&
      html`<img class="scanned" src=${`data:image/svg+xml,${encodeURIComponent(app.qr_code)}`} alt=${t("step.qr")} />
      <p><code dir="ltr">${app.secret.match(/.{1,4}/g)?.join(" ")}</code></p>
      <div class="row"><${CopyButton} text=${app.secret} /><a class="button quiet" href=${app.uri}>${t("step.open")}</a></div>
      <${Form} kind="fields" fields=${[codeField()]} button=${t("step.send")} send=${confirm} />`
    }
    ${codes.length > 0 && html`<${Codes} codes=${codes} name="second-step.txt" />`}
    <${Refusal} error=${task.error} />
    ${
      !app &&
      html`<div class="row"><button class=${step.set_up ? "danger" : "quiet"} disabled=${task.busy} onClick=${step.set_up ? remove : start}>
      ${t(step.set_up ? "ways.remove" : "step.setUp")}</button></div>`
    }
  </section>`;
}
