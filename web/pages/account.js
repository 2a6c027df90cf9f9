// Sign in, register, the settings, and the player's own account.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { loadArea, t } from "../i18n/index.js";
import { AccessLink, Email, LinkArrival, ResetRequest, takeLink } from "../parts/email.js";
import { Form } from "../parts/fields.js";
import { useTitle } from "../parts/page.js";
import { RecoveryCodes } from "../parts/recovery.js";
import { Refusal, useTask } from "../parts/requests.js";
import { SecondStep } from "../parts/second_step.js";
import { Settings } from "../parts/settings.js";
import { saveFile } from "../parts/share.js";
import { Statistics } from "../parts/statistics.js";
import { Told } from "../parts/told.js";
import { IssuerEntrance, WaysIn } from "../parts/ways_in.js";
import { Standing } from "../people/standing.js";
import { html, loadStyle, useEffect, useSource, useState } from "../view.js";

await Promise.all([loadArea("account"), loadStyle("records")]);

export default function AccountPage() {
  useSource(session);
  useTitle(session.isOpen ? t("account.title") : t("shell.signIn"));
  const [link, setLink] = useState(takeLink);
  useEffect(() => {
    const look = () => setLink(takeLink());
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);
  if (link) return html`<${LinkArrival} key=${link.token} link=${link} leave=${() => setLink(null)} />`;
  if (session.isOpen && !session.account)
    return html`<h1>${t("account.session")}</h1><p role="status">${t("shell.loading")}</p>`;
  return session.account ? html`<${Own} />` : html`<${Entrance} />`;
}

/** What browsers may fill in. @type {Record<string, string>} */
const COMPLETION = {
  username: "username",
  password: "current-password",
  current_password: "current-password",
  new_password: "new-password",
  changed_password: "new-password",
  display_name: "nickname",
  code: "off",
};

/**
 * A form with some of these fields.
 * @param {{ title: string, fields: string[], button?: string, [other: string]: unknown }} properties
 */
function AccountForm({ title, fields, button = title, ...others }) {
  const named = fields.map((name) => ({
    name,
    label: t(`account.${name}`),
    completion: COMPLETION[name],
    type: name.endsWith("password") ? "password" : "text",
  }));
  return html`<${Form} title=${title} fields=${named} button=${button} done=${t("account.done")} ...${others} />`;
}

function Entrance() {
  const guest = (/** @type {Record<string, string>} */ { display_name }) => session.ensure(display_name);
  const signIn = (/** @type {Record<string, string>} */ { username = "", password = "" }) =>
    session.signIn(username, password);
  const recover = (/** @type {Record<string, string>} */ { code = "", changed_password }) =>
    session.recover(code, changed_password);
  const register = (/** @type {Record<string, string>} */ { username = "", new_password = "", display_name }) =>
    session.enter(
      api("POST", "/v1/accounts", {
        body: { username, password: new_password, ...(display_name ? { display_name } : {}) },
        anonymous: true,
      }),
    );
  return html`<h1>${t("shell.signIn")}</h1>
    <div class="grid">
      <${AccountForm} title=${t("account.guest")} fields=${["display_name"]} button=${t("account.guestButton")} send=${guest} />
      <${IssuerEntrance} />
      <${AccountForm} title=${t("shell.signIn")} fields=${["username", "password"]} send=${signIn} />
      <${AccountForm} title=${t("recovery.back")} fields=${["code", "changed_password"]} button=${t("shell.signIn")} send=${recover} />
      <${ResetRequest} />
      <${AccountForm} title=${t("account.register")} fields=${["username", "new_password", "display_name"]} send=${register} />
      <${SettingsPanel} />
    </div>`;
}

function SettingsPanel() {
  return html`<section class="panel"><h2>${t("settings.title")}</h2><${Settings} /></section>`;
}

function Own() {
  const { account } = session;
  const task = useTask();
  if (!account) return null;
  const rename = async (/** @type {Record<string, string>} */ { display_name = "" }) => {
    session.account = await api("PATCH", "/v1/me", { body: { display_name } });
    session.changed();
  };
  const keep = async (/** @type {Record<string, string>} */ { username = "", new_password = "" }) => {
    await api("PUT", "/v1/me/credentials", { body: { username, password: new_password } });
    await session.restart();
  };
  const changePassword = (/** @type {Schemas["ChangePasswordRequest"]} */ body) =>
    api("PUT", "/v1/me/password", { body });
  const erase = async (/** @type {Record<string, string>} */ { password }) => {
    await api("DELETE", "/v1/me", { body: password ? { password } : {} });
    session.forget();
  };
  const download = async () => saveFile("estimation.json", await api("GET", "/v1/me/export"));
  const isGuest = account.kind === "guest";
  return html`<h1><bdi>${account.display_name}</bdi></h1>
    <${AccessLink} />
    <${Standing} isWhole />
    <section class="panel">
      <div class="row spread"><h2>${t("people.statistics")}</h2><span class="row">
        <a href="/people">${t("shell.people")}</a><a href=${`/players/${account.id}`}>${t("account.profile")}</a></span></div>
      <${Statistics} id=${account.id} />
    </section>
    <div class="grid">
      <${SettingsPanel} />
      <${Told} />
      <${WaysIn} />
      <${Email} />
      <${RecoveryCodes} />
      <${SecondStep} />
      <${AccountForm} title=${t("account.rename")} fields=${["display_name"]} button=${t("account.save")} send=${rename}
        initial=${{ display_name: account.display_name }} />
      ${
        account.username !== null &&
        html`<${AccountForm} title=${t("account.changePassword")} about=${t("account.passwordAbout")}
        fields=${["current_password", "new_password"]} button=${t("account.save")} send=${changePassword} />`
      }
      ${
        account.username === null &&
        html`<${AccountForm} title=${t("account.keep")} fields=${["username", "new_password"]} button=${t("account.save")} send=${keep} />`
      }
      <div class="panel">
        <h2>${t("account.session")}</h2>
        <p>${t(isGuest ? "account.guestOut" : "account.outAbout")}</p>
        <${Refusal} error=${task.error} />
        <div class="row">
          <button class="quiet" onClick=${() => session.signOut()}>${t("account.signOut")}</button>
          <button class="quiet" disabled=${task.busy} onClick=${() => task.run(download)}>${t("account.export")}</button>
        </div>
      </div>
      <details class="panel"><summary>${t("account.delete")}</summary>
        <p>${t("account.deleteAbout")}</p>
        <${AccountForm} title=${t("account.delete")} fields=${account.username === null ? [] : ["password"]} send=${erase} isDanger />
      </details>
    </div>`;
}
