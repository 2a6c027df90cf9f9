// The public log: its size and checkpoint, its witnesses, and what has not reached it.

import { number, t } from "../i18n/index.js";
import { html } from "../view.js";
import { Facts, GameLink, Listed, useSection, when } from "./parts.js";

export function Log() {
  const { data: log, state } = useSection("/v1/admin/log", { seconds: 15 });
  return html`<h1>${t("desk.log")}</h1>${state}
    ${
      log &&
      html`<section class="panel"><h2>${t("desk.state")}</h2><${Facts} pairs=${factsOf(log)} />
        ${log.refusal && html`<p class="notice"><bdi>${log.refusal}</bdi></p>`}</section>
      <${Listed} name="witnesses" columns=${["name", "size", "trouble"]}
        rows=${log.witnesses.map(({ name, size, trouble }) => [
          html`<bdi dir="ltr">${name}</bdi>`,
          size === null ? null : number(size),
          trouble,
        ])} />
      <${Listed} name="skipped_games" columns=${["game", "job", "reason"]}
        rows=${log.skipped.map(({ game, job, reason }) => [
          html`<${GameLink} id=${game} />`,
          html`<code>${job}</code>`,
          html`<div class="details">${reason}</div>`,
        ])}>
        <p>${t("desk.skipped.about")}</p></${Listed}>`
    }`;
}

/** @param {Schemas["LogReport"]} log @returns {[string, unknown][]} */
const factsOf = (log) => [
  ["origin", log.origin && html`<bdi dir="ltr">${log.origin}</bdi>`],
  ["size", number(log.size)],
  ["signed_size", number(log.signed_size)],
  ["checkpoint_at", when(log.checkpoint_at)],
  ["log_waiting", number(log.waiting)],
  ["log_refused", number(log.refused)],
  ["overdue_start", log.overdue_start && when(log.overdue_start)],
  ["unsigned_games", number(log.unsigned_games)],
  ["unpacked_games", number(log.unpacked_games)],
];
