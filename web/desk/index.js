// The desk: what admins, moderators and auditors see and do. Its paths are `/desk/SECTION/ID`. Players never load it.

import { session } from "../api/session.js";
import { loadArea, t } from "../i18n/index.js";
import { useTitle } from "../parts/page.js";
import { Refusal } from "../parts/requests.js";
import { html, loadStyle, useSource } from "../view.js";
import { Account } from "./account.js";
import { Accounts } from "./accounts.js";
import { Accesses, Entries } from "./audits.js";
import { Acts } from "./history.js";
import { Game, Games } from "./games.js";
import { Log } from "./log.js";
import { Overview } from "./overview.js";
import { Queues } from "./queues.js";
import { Report } from "./report.js";
import { Reports } from "./reports.js";
import { ROLES } from "./roles.js";
import { Backups, Nodes, Settings } from "./server.js";

await Promise.all([loadArea("desk"), loadStyle("desk")]);

/** @typedef {(properties: any) => unknown} Page */

/** The page of each section, and the page of one thing in it. @type {Record<string, [page: Page, one?: Page]>} */
const PAGES = {
  overview: [Overview],
  accounts: [Accounts, Account],
  reports: [Reports, Report],
  games: [Games, Game],
  queues: [Queues],
  log: [Log],
  entries: [Entries],
  acts: [Acts],
  accesses: [Accesses],
  nodes: [Nodes],
  backups: [Backups],
  settings: [Settings],
};

/** @param {{ section?: string, id?: string }} properties the parts of the path */
export default function Desk({ section = "overview", id }) {
  useSource(session);
  const { account } = session;
  const pages = Object.hasOwn(PAGES, section) ? PAGES[section] : undefined;
  const page = id === undefined ? pages?.[0] : pages?.[1];
  useTitle(page ? `${t(`desk.${section}`)} · ${t("desk.title")}` : t("desk.title"));
  if (session.isOpen && !account) {
    return html`<h1>${t("desk.title")}</h1><p role="status">${t("shell.loading")}</p><${Refusal} error=${session.trouble} />`;
  }
  const mine = Object.entries(ROLES)
    .filter(([, roles]) => account && roles.includes(account.role))
    .map(([name]) => name);
  if (mine.length === 0) {
    return html`<h1>${t("desk.title")}</h1><p>${t("desk.closed")}</p>
      ${account ? null : html`<a class="button" href="/account">${t("shell.signIn")}</a>`}`;
  }
  return html`<div class="desk">
    <nav aria-label=${t("desk.title")}>
      ${mine.map(
        (name) => html`<a key=${name} href=${name === "overview" ? "/desk" : `/desk/${name}`}
        aria-current=${name === section ? (id === undefined ? "page" : "true") : null}>${t(`desk.${name}`)}</a>`,
      )}
    </nav>
    ${
      !page
        ? html`<h1>${t("shell.missing")}</h1>`
        : mine.includes(section)
          ? html`<${page} id=${id} />`
          : html`<h1>${t(`desk.${section}`)}</h1><p class="notice">${t("desk.notYours")}</p>`
    }
  </div>`;
}
