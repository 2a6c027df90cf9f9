// The email address of an account, what the links of mails lead to, and the link into the account that a moderator gave to somebody.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { loadArea, t, time } from "../i18n/index.js";
import { html, useEffect, useState } from "../view.js";
import { Form } from "./fields.js";
import { Refusal, useLoaded, useTask } from "./requests.js";
import { saveFile } from "./share.js";

await loadArea("ways");

/** @param {string} name */
const addressField = (name) => ({ name, label: t("email.address"), type: "email", completion: "email" });

/** The address of the own account; nothing where the server sends no mail. */
export function Email() {
  const { data: email, reload } = useLoaded("/v1/me/email");
  const task = useTask();
  if (!email?.available) return null;
  const remove = () => task.run(() => api("DELETE", "/v1/me/email").then(reload));
  const button = html`<button type="button" class="quiet" disabled=${task.busy} onClick=${remove}>${t("ways.remove")}</button>`;
  return html`<${Form} title=${t("email.title")} about=${email.address ? t("email.present", { address: email.address }) : t("email.about")}
    fields=${[addressField("email")]} button=${t("email.send")} done=${t("email.sent")} extra=${email.address ? button : null}
    send=${(/** @type {Record<string, string>} */ { email: address = "" }) => api("PUT", "/v1/me/email", { body: { address } })} />`;
}

/** The way back by mail, for those who cannot sign in; nothing where the server sends none. */
export function ResetRequest() {
  const { data } = useLoaded("/v1/issuers");
  if (!data?.mail) return null;
  const send = (/** @type {Record<string, string>} */ { reset_email: address = "" }) =>
    api("POST", "/v1/password-resets", { body: { address }, anonymous: true });
  return html`<${Form} title=${t("email.back")} about=${t("email.backAbout")} fields=${[addressField("reset_email")]}
    button=${t("email.send")}
    done=${t("email.backSent")} send=${send} />`;
}

/** The link into the own account that a moderator gave to somebody, with the button that stops it; nothing without one. */
export function AccessLink() {
  const { data: link, reload } = useLoaded("/v1/me/access-link");
  const task = useTask();
  if (!link?.works_at || !link.expires_at) return null;
  const stop = () => task.run(() => api("DELETE", "/v1/me/access-link").then(reload));
  return html`<section class="panel access">
    <h2>${t("access.title")}</h2>
    <p>${t("access.about", { from: time(link.works_at), to: time(link.expires_at) })}</p>
    <${Refusal} error=${task.error} />
    <div class="row"><button class="danger" disabled=${task.busy} onClick=${stop}>${t("access.stop")}</button></div>
  </section>`;
}

/** What a link of a mail is for, and its token. @typedef {{ purpose: string, token: string }} MailLink */

/** Takes the link of a mail out of the address. @returns {MailLink | null} */
export function takeLink() {
  const [, purpose = "", token = ""] = /^#(verify|reset|stop|export)=(.*)$/.exec(location.hash) ?? [];
  if (!purpose) return null;
  history.replaceState(null, "", location.pathname);
  return { purpose, token };
}

/** @typedef {"/v1/email-verifications" | "/v1/access-links/stop" | "/v1/exports"} TokenPath */

/**
 * Links that need only their token: where it goes, the title, and what is said then.
 * @type {Record<string, [path: TokenPath, title: string, done: string]>}
 */
const FOLLOWED = {
  verify: ["/v1/email-verifications", "email.title", "email.verified"],
  stop: ["/v1/access-links/stop", "access.title", "access.stopped"],
  export: ["/v1/exports", "account.title", "email.exported"],
};

/** Where the links of mails lead. @param {{ link: MailLink, leave: () => void }} properties */
export function LinkArrival({ link: { purpose, token }, leave }) {
  const task = useTask();
  const [isDone, setDone] = useState(false);
  const followed = FOLLOWED[purpose];
  // The link of an export works once, so the player chooses when.
  const isExport = purpose === "export";
  const follow = () =>
    task.run(async () => {
      const content = followed && (await api("POST", followed[0], { body: { token }, anonymous: true }));
      if (isExport) saveFile("estimation.json", content);
      setDone(true);
    });
  useEffect(() => {
    if (followed && !isExport) void follow();
  }, []);
  if (followed) {
    return html`<section class="panel">
      <h1>${t(followed[1])}</h1>
      <${Refusal} error=${task.error} />
      <p role="status">${isDone ? t(followed[2]) : ""}</p>
      <div class="row">
        ${isExport && !isDone && html`<button disabled=${task.busy} onClick=${follow}>${t("account.export")}</button>`}
        <button class="quiet" onClick=${leave}>${t("email.on")}</button>
      </div>
    </section>`;
  }
  const send = (/** @type {Record<string, string>} */ { new_password }) =>
    session.recover(token, new_password).then(leave);
  const field = {
    name: "new_password",
    label: t("account.changed_password"),
    type: "password",
    completion: "new-password",
  };
  return html`<h1>${t("email.back")}</h1><${Form} about=${t("email.resetAbout")} fields=${[field]}
    button=${t("shell.signIn")} send=${send} />`;
}
