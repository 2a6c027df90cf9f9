// The first page of the desk: what needs attention, then the figures.

import { now } from "../api/client.js";
import { number, t, time } from "../i18n/index.js";
import { html } from "../view.js";
import { Facts, shown, useSection } from "./parts.js";
import { mayUse } from "./roles.js";

const MINUTE_MS = 60_000;

/** A checkpoint of the public log is late after this time, if entries wait for it. */
const LATE_CHECKPOINT_MS = 10 * MINUTE_MS;

/** As of the alert `EstimationBackupOld`. */
const OLD_BACKUP_MS = 48 * 60 * MINUTE_MS;

/** @typedef {Schemas["Overview"]} OverviewView */

/** The figures in groups. @type {Record<string, (keyof OverviewView)[]>} */
const FIGURES = {
  games: ["playing_games", "lobby_games", "waiting_players"],
  reports: ["open_reports", "oldest_report_at", "appeals"],
  log: ["checkpoint_at", "log_waiting", "log_refused", "unsigned_games", "skipped_games"],
  server: ["version", "nodes", "unready_nodes", "checked_backup_at"],
};

/** Whether a time is longer ago than `age`, or unknown. @param {string | null} at @param {number} age */
const isOlder = (at, age) => !at || Date.parse(at) < now() - age;

/**
 * What needs attention, the most urgent first: the section that has it, and the words.
 * @param {OverviewView} view
 * @returns {[string, string][]}
 */
function needsOf(view) {
  /** @type {(section: string, field: keyof OverviewView, parameters?: {}) => [boolean, string, string]} */
  const count = (section, field, parameters = {}) => {
    const found = Number(view[field]);
    return [found > 0, section, t(`desk.need.${field}`, { count: found, ...parameters })];
  };
  /** @type {[boolean, string, string][]} */
  const all = [
    count("nodes", "unready_nodes"),
    count("log", "log_refused"),
    count("log", "skipped_games"),
    [view.log_waiting > 0 && isOlder(view.checkpoint_at, LATE_CHECKPOINT_MS), "log", t("desk.need.checkpoint")],
    [isOlder(view.checked_backup_at, OLD_BACKUP_MS), "backups", t("desk.need.backup")],
    count("reports", "appeals"),
    count("reports", "open_reports", { at: view.oldest_report_at ? time(view.oldest_report_at) : "" }),
    count("log", "unsigned_games"),
  ];
  return all.filter(([isNeeded]) => isNeeded).map(([, section, words]) => [section, words]);
}

export function Overview() {
  const { data: view, state } = useSection("/v1/admin/overview", { seconds: 15 });
  const needs = view ? needsOf(view) : [];
  return html`<h1>${t("desk.overview")}</h1>${state}
    ${
      view &&
      html`<section class="panel needs">
        <h2>${t("desk.needs")}</h2>
        ${
          needs.length === 0
            ? html`<p>${t("desk.noNeeds")}</p>`
            : html`<ul class="list">${needs.map(
                ([section, words]) => html`<li key=${words}>
          ${mayUse(section) ? html`<a href=${`/desk/${section}`}>${words}</a>` : words}</li>`,
              )}</ul>`
        }
      </section>
      <div class="grid">${Object.entries(FIGURES).map(
        ([title, fields]) => html`<section key=${title} class="panel"><h2>${t(`desk.${title}`)}</h2>
        <${Facts}
          pairs=${fields.map((field) => [field, typeof view[field] === "number" ? number(view[field]) : shown(view[field])])} /></section>`,
      )}</div>`
    }`;
}
