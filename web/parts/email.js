// The email address of an account: setting it, and what the links of mails lead to.

import { request } from "../api/client.js";
import { session } from "../api/session.js";
import { loadArea, t } from "../i18n/index.js";
import { html, useEffect, useState } from "../view.js";
import { Refusal, useLoaded, useTask } from "./requests.js";

await loadArea("ways");

const PATH = "/v1/me/email";

/**
 * A form with one field.
 * @param {{ title: string, about: string, label: string, name: string, type: string, completion: string, button: string, done: string,
 *     send: (value: string) => Promise<unknown>, extra?: unknown }} properties `extra` stands beside the button
 */
function OneField({ title, about, label, name, type, completion, button, done, send, extra }) {
  const task = useTask();
  const [value, setValue] = useState("");
  const [isDone, setDone] = useState(false);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setDone(false);
    void task.run(async () => {
      await send(value);
      setDone(true);
    });
  };
  return html`<form class="panel fields" onSubmit=${submit}>
    <h2>${title}</h2>
    <p>${about}</p>
    <label><span>${label}</span>
      <input name=${name} type=${type} dir="ltr" autocomplete=${completion} value=${value}
        onInput=${(/** @type {any} */ { target }) => setValue(target.value)} /></label>
    <${Refusal} error=${task.error} />
    <p role="status">${isDone ? done : ""}</p>
    <div class="row"><button disabled=${task.busy}>${button}</button>${extra}</div>
  </form>`;
}

/** The address of the own account; nothing where the server sends no mail. */
export function Email() {
  const { data, reload } = useLoaded(PATH);
  const task = useTask();
  const email = /** @type {Schemas["Email"] | null} */ (data);
  if (!email?.available) return null;
  const remove = () => task.run(async () => {
    await request("DELETE", PATH);
    reload();
  });
  const button = html`<button type="button" class="quiet" disabled=${task.busy} onClick=${remove}>${t("ways.remove")}</button>`;
  return html`<${OneField} title=${t("email.title")} about=${email.address ? t("email.present", { address: email.address }) : t("email.about")}
    label=${t("email.address")} name="email" type="email" completion="email" button=${t("email.send")} done=${t("email.sent")}
    send=${(/** @type {string} */ address) => request("PUT", PATH, { body: { address } })} extra=${email.address ? button : null} />`;
}

/** The way back by mail, for those who cannot sign in; nothing where the server sends none. */
export function ResetRequest() {
  const { data } = useLoaded("/v1/issuers");
  if (!(/** @type {Schemas["IssuerList"] | null} */ (data)?.mail)) return null;
  const send = (/** @type {string} */ address) => request("POST", "/v1/password-resets", { body: { address }, anonymous: true });
  return html`<${OneField} title=${t("email.back")} about=${t("email.backAbout")} label=${t("email.address")} name="reset_email" type="email"
    completion="email" button=${t("email.send")} done=${t("email.backSent")} send=${send} />`;
}

/** What a link of a mail is for, and its token. @typedef {{ purpose: string, token: string }} MailLink */

/** Takes the link of a mail out of the address. @returns {MailLink | null} */
export function takeLink() {
  const [, purpose = "", token = ""] = /^#(verify|reset)=(.*)$/.exec(location.hash) ?? [];
  if (!purpose) return null;
  history.replaceState(null, "", location.pathname);
  return { purpose, token };
}

/** Where the links of mails lead. @param {{ link: MailLink, leave: () => void }} properties */
export function LinkArrival({ link: { purpose, token }, leave }) {
  const task = useTask();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (purpose !== "verify") return;
    void task.run(async () => {
      await request("POST", "/v1/email-verifications", { body: { token }, anonymous: true });
      setDone(true);
    });
  }, []);
  if (purpose === "verify") {
    return html`<section class="panel">
      <h1>${t("email.title")}</h1>
      <${Refusal} error=${task.error} />
      <p role="status">${isDone ? t("email.verified") : ""}</p>
      <div class="row"><button onClick=${leave}>${t("email.on")}</button></div>
    </section>`;
  }
  const send = async (/** @type {string} */ password) => {
    await session.recover(token, password);
    leave();
  };
  return html`<${OneField} title=${t("email.back")} about=${t("email.resetAbout")} label=${t("account.changed_password")} name="new_password"
    type="password" completion="new-password" button=${t("shell.signIn")} done="" send=${send} />`;
}
