// Everything about an account, and what can be done to it.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { t, time } from "../i18n/index.js";
import { html, submitted, useState } from "../view.js";
import { standing } from "./accounts.js";
import { History } from "./history.js";
import { Measures } from "./measures.js";
import { Facts, GameLink, Listed, Person, useAct, useSection, when, yes } from "./parts.js";
import { ReportTable } from "./reports.js";
import { isAdmin } from "./roles.js";

/** @typedef {Schemas["InspectedAccount"]} InspectedAccount */

const ROLES = ["player", "moderator", "auditor", "admin"];

/** @param {{ id: string }} properties */
export function Account({ id }) {
  const { data: found, reload, state } = useSection("/v1/admin/accounts/{id}", { path: { id } });
  if (!found) return html`<h1>${t("desk.account")}</h1>${state}`;
  const { account, sessions, roles, acts, games, reports } = found;
  return html`<h1><bdi>${account.display_name}</bdi></h1>${state}
    <div class="two">
      <div>
        <section class="panel"><h2>${t("desk.account")}</h2><${Facts} pairs=${factsOf(found)} />
          <p><a href=${`/players/${account.id}`}>${t("desk.profile")}</a></p></section>
        ${isAdmin() && account.id !== session.account?.id && html`<${RoleForm} account=${account} reload=${reload} />`}
      </div>
      <section class="panel measures"><h2>${t("desk.measures")}</h2><${Measures} found=${found} reload=${reload} /></section>
    </div>
    <section class="panel" data-list="about"><h2>${t("desk.reportsAbout")}</h2><${ReportTable} reports=${reports}
      label=${t("desk.reportsAbout")} isOfOne /></section>
    <${History} name="actsOn" acts=${acts} isOfOne />
    <${Listed} name="playedGames" columns=${["game", "ruleset", "state", "opened_at"]}
      rows=${games.map((one) => [html`<${GameLink} id=${one.id} />`, one.ruleset, t(`status.${one.status}`), when(one.opened_at)])} />
    <${Listed} name="sessions" columns=${["device", "created_at", "last_used_at"]}
      rows=${sessions.map((one) => [html`<bdi>${one.device ?? t("desk.unknown")}</bdi>`, when(one.created_at), when(one.last_used_at)])} />
    <${Listed} name="roles" columns=${["at", "role", "former", "by"]}
      rows=${roles.map((one) => [
        when(one.at),
        t(`desk.role.${one.role}`),
        t(`desk.role.${one.former_role}`),
        html`<${Person} person=${one.by} none=${t("desk.commandLine")} />`,
      ])} />`;
}

/** What a measure says about its end. @param {boolean} isAllowed @param {string | null} until */
const ended = (isAllowed, until) =>
  isAllowed ? null : until ? t("desk.untilAt", { at: time(until) }) : t("desk.noEnd");

/** @param {InspectedAccount} found @returns {[string, unknown][]} */
function factsOf({ account, muted_until, suspended_until, has_email, second_step, access_link }) {
  const { works_at, expires_at } = access_link;
  return [
    ["id", html`<code dir="ltr">${account.id}</code>`],
    ["username", account.username && html`<bdi>${account.username}</bdi>`],
    ["kind", t(`desk.kind.${account.kind}`)],
    ["role", t(`desk.role.${account.role}`)],
    ["created_at", when(account.created_at)],
    ["standing", standing(account)],
    ["muted", ended(account.may_talk, muted_until)],
    ["suspended", ended(account.may_play, suspended_until)],
    ["has_email", yes(has_email)],
    ["second_step", yes(second_step)],
    ["access_link", works_at && expires_at ? t("desk.fromTo", { from: time(works_at), to: time(expires_at) }) : null],
  ];
}

/** @param {{ account: Schemas["AccountSummary"], reload: () => void }} properties */
function RoleForm({ account, reload }) {
  const { busy, run, trouble } = useAct();
  const [isDone, setDone] = useState(false);
  const submit = submitted((form) => {
    const role = /** @type {Schemas["GrantRoleRequest"]["role"]} */ (new FormData(form).get("role"));
    void run(async () => {
      await api("PUT", "/v1/admin/accounts/{id}/role", { path: { id: account.id }, body: { role } });
      setDone(true);
      reload();
    });
  });
  return html`<section class="panel" data-list="role"><h2>${t("desk.role")}</h2>
    <form class="fields" onSubmit=${submit}>
      <p>${t("desk.role.about")}</p>
      <label><span>${t("desk.role")}</span><select name="role">
        ${ROLES.map(
          (role) => html`<option key=${role} value=${role}
          defaultSelected=${role === account.role}>${t(`desk.role.${role}`)}</option>`,
        )}</select></label>
      <div class="row"><button disabled=${busy}>${t("desk.role.set")}</button></div>
    </form>
    ${trouble}<p role="status">${isDone ? t("desk.saved") : ""}</p></section>`;
}
