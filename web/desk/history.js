// What moderators did: to an account, to a game, and all of it.

import { t } from "../i18n/index.js";
import { html } from "../view.js";
import { GameLink, Listed, Person, quoted, shown, usePages, when } from "./parts.js";
import { mayUse } from "./roles.js";

/** @typedef {Schemas["ModeratorAct"]} ModeratorAct */

/**
 * Acts in a table.
 * @param {{ name: string, acts: ModeratorAct[], isOfOne?: boolean, isWhole?: boolean }} properties `isOfOne`: all are
 *     about the same account or game
 */
export function History({ name, acts, isOfOne = false, isWhole = false }) {
  const about = (/** @type {ModeratorAct} */ { account, game }) =>
    html`<${Person} person=${account} none="" /> ${game && html`<${GameLink} id=${game} />`}`;
  return html`<${Listed} name=${name} isWhole=${isWhole} columns=${["at", "act", "by", ...(isOfOne ? [] : ["about"])]}
    rows=${acts.map((one) => [
      when(one.at),
      html`<${Details} act=${one} />`,
      html`<${Person} person=${one.actor} none=${t("desk.commandLine")} />`,
      ...(isOfOne ? [] : [about(one)]),
    ])} />`;
}

/** What was done and why, with all else that was kept of it. @param {{ act: ModeratorAct }} properties */
function Details({ act: { act, reason, until, changes, appeal, untold, report } }) {
  /** @type {[string, unknown][]} */
  const more = [
    ["until", until && when(until)],
    ["appeal", appeal && quoted(appeal)],
    ["untoldBecause", untold && quoted(untold)],
    [
      "report",
      report &&
        (mayUse("reports") ? html`<a href=${`/desk/reports/${report}`}>${t("desk.report.show")}</a>` : t("desk.yes")),
    ],
  ];
  return html`<div class="details"><strong>${t(`desk.act.${act}`)}</strong> ${quoted(reason)}
    ${changes.map(
      ({ field, before, after }) => html`<small key=${field}>
      <bdi dir="ltr"><code>${field}</code> ${shown(before)} → ${shown(after)}</bdi></small>`,
    )}
    ${more.map(([name, value]) => value && html`<small key=${name}>${t(`desk.${name}`)}: ${value}</small>`)}</div>`;
}

/** Who did what, the newest first. */
export function Acts() {
  const { items, state, more } = usePages("/v1/admin/acts");
  return html`<h1>${t("desk.acts")}</h1>${state}${items && html`<${History} name="acts" isWhole acts=${items} />`}${more}`;
}
