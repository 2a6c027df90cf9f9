// What a moderator can do to an account: a form for each act.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { t, time } from "../i18n/index.js";
import { Copy } from "../parts/share.js";
import { html, useState, valued } from "../view.js";
import { ActForm, endOf, Until } from "./act_form.js";
import { isAdmin } from "./roles.js";

/** @typedef {Schemas["InspectedAccount"]} InspectedAccount */

/** @typedef {{ period?: string, at?: string, confirm?: string }} Period `confirm`: the name, written once more */

/**
 * The acts in the order of the page, with the fields of their forms beside the reason.
 * @type {[act: string, fields: string[]][]}
 */
const ACTS = [
  ["noted", []],
  ["renamed", ["display_name"]],
  ["muted", ["until"]],
  ["suspended", ["until", "appeal"]],
  ["banned", ["until", "appeal"]],
  ["lifted", []],
  ["sessions_ended", []],
  ["access_given", []],
  ["export_sent", []],
  ["second_step_removed", []],
  ["deleted", ["confirm"]],
];

/** What admins alone do. */
const OF_ADMINS = ["second_step_removed"];

/** Acts that take something away. */
const HARSH = ["suspended", "banned", "second_step_removed", "deleted"];

/** Of these the player is told, unless the form says why not; of others by a mail, by a change of the ways in, or not at all. */
const MAY_BE_UNTOLD = ["sessions_ended", "renamed", "muted", "suspended", "banned", "lifted"];

/** All forms, one open at a time. @param {{ found: InspectedAccount, reload: () => void }} properties */
export function Measures({ found, reload }) {
  const { account } = found;
  const [done, setDone] = useState(/** @type {Schemas["ActDone"] | null} */ (null));
  if (account.id === session.account?.id) return html`<p>${t("desk.own")}</p>`;
  if (account.role !== "player" && !isAdmin()) return html`<p>${t("desk.protected")}</p>`;
  const send = async (/** @type {Schemas["ActRequest"] & Period} */ { period, at, confirm, ...request }) => {
    const until = endOf(period, at);
    const body = { ...request, ...(until ? { until } : {}) };
    setDone(await api("POST", "/v1/admin/accounts/{id}/acts", { path: { id: account.id }, body }));
    if (body.act !== "deleted") reload();
  };
  const offered = done?.act.act === "deleted" ? [] : ACTS.filter(([act]) => isAdmin() || !OF_ADMINS.includes(act));
  return html`<div role="status" class="done">${done && html`<${Done} key=${done.act.id} done=${done} />`}</div>
    ${offered.map(
      ([act, fields]) => html`<details key=${act} name="act" data-act=${act}>
      <summary>${t(`desk.do.${act}`)}</summary>
      <${Measure} act=${act} fields=${fields} found=${found} send=${send} />
    </details>`,
    )}`;
}

/** That an act was done. A link is shown once. @param {{ done: Schemas["ActDone"] }} properties */
function Done({ done: { act, token } }) {
  return html`<p><strong>${t(`desk.act.${act.act}`)}</strong> · ${time(act.at)}</p>
    ${
      token &&
      html`<p>${t("desk.link.about")}</p><${Copy} value=${`${location.origin}/account#reset=${token}`}
      label=${t("share.link")} />`
    }`;
}

/**
 * @param {{ act: string, fields: string[], found: InspectedAccount,
 *     send: (request: Schemas["ActRequest"] & Period) => Promise<void> }} properties
 */
function Measure({ act, fields, found: { account, reports }, send }) {
  const [typed, setTyped] = useState("");
  const has = (/** @type {string} */ field) => fields.includes(field);
  return html`<${ActForm} buttons=${[["act", act, t(`desk.do.${act}`)]]} send=${send}
    isDanger=${HARSH.includes(act)} isTold=${MAY_BE_UNTOLD.includes(act)}
      isReady=${!has("confirm") || typed.trim() === account.display_name.trim()}>
    <p>${t(`desk.about.${act}`)}</p>
    ${
      has("display_name") &&
      html`<label><span>${t("desk.newName")}</span><input name="display_name" dir="auto"
      maxlength="40" autocomplete="off" /></label>`
    }
    ${has("until") && html`<${Until} hasNone=${act === "banned"} />`}
    ${
      has("appeal") &&
      html`<label><span>${t("desk.appeal.how")}</span><textarea name="appeal" rows="2" maxlength="400"
      dir="auto"></textarea></label>`
    }
    ${
      has("confirm") &&
      html`<label><span>${t("desk.confirm")} <q dir="auto">${account.display_name}</q></span>
      <input name="confirm" dir="auto" autocomplete="off" value=${typed} onInput=${valued(setTyped)} /></label>`
    }
    <${ReportChoice} reports=${reports} />
  </${ActForm}>`;
}

/**
 * The report that led to an act: at first the one that the address names.
 * @param {{ reports: Schemas["QueuedReport"][] }} properties
 */
function ReportChoice({ reports }) {
  const named = new URLSearchParams(location.search).get("report");
  const ids = reports.map(({ id }) => id);
  if (named && !ids.includes(named)) ids.unshift(named);
  if (ids.length === 0) return null;
  const words = (/** @type {string} */ id) => {
    const report = reports.find((one) => one.id === id);
    return report ? `${t(`desk.topic.${report.about}`)} · ${time(report.created_at)}` : id;
  };
  return html`<label><span>${t("desk.report")}</span><select name="report">
    <option value="" defaultSelected=${!named}>${t("desk.report.none")}</option>
    ${ids.map((id) => html`<option key=${id} value=${id} defaultSelected=${id === named}>${words(id)}</option>`)}</select></label>`;
}
