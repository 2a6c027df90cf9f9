// The queue of reports and appeals.

import { t } from "../i18n/index.js";
import { Check } from "../parts/fields.js";
import { html, useState } from "../view.js";
import { Person, quoted, Table, useSection, when } from "./parts.js";

/** @typedef {Schemas["QueuedReport"]} QueuedReport */

/** How a report stands, in words. @param {QueuedReport} report */
export function stateOf({ decision, taken_by }) {
  if (decision) return t(`desk.decision.${decision}`);
  return taken_by ? html`${t("desk.takenBy")} <bdi>${taken_by.name}</bdi>` : t("desk.open");
}

/** @param {{ reports: QueuedReport[], label: string, isOfOne?: boolean }} properties `isOfOne`: all are about the same account */
export function ReportTable({ reports, label, isOfOne = false }) {
  return html`<${Table} label=${label} columns=${["report", ...(isOfOne ? [] : ["subject"]), "text", "state", "created_at", "reporter"]}
    rows=${reports.map((one) => [
      html`<a href=${`/desk/reports/${one.id}`}>${t(`desk.topic.${one.about}`)}</a>`,
      ...(isOfOne ? [] : [html`<${Person} person=${one.subject} />`]),
      html`<div class="details">${quoted(one.text)}</div>`,
      stateOf(one),
      when(one.created_at),
      html`<${Person} person=${one.reporter} />`,
    ])} />`;
}

/** Open reports, the oldest first; all of them the newest first. */
export function Reports() {
  const [isAll, setAll] = useState(false);
  const { data, state } = useSection("/v1/admin/reports", { query: { all: isAll }, seconds: 15 });
  const reports = data?.items;
  return html`<h1>${t("desk.reports")}</h1>
    <p><${Check} name="all" label=${t("desk.reports.all")} checked=${isAll} onChange=${setAll} /></p>
    ${state}${
      reports &&
      html`<section class="panel" data-list="queue"><${ReportTable} reports=${reports}
      label=${t("desk.reports")} /></section>`
    }`;
}
