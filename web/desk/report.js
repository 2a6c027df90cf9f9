// A report with its evidence, and the decision.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { number, t } from "../i18n/index.js";
import { useLoaded } from "../parts/requests.js";
import { html } from "../view.js";
import { ActForm } from "./act_form.js";
import { Facts, GameLink, Listed, Person, quoted, Table, useAct, useSection, when } from "./parts.js";
import { stateOf } from "./reports.js";

/** @typedef {Schemas["QueuedReport"]} QueuedReport */
/** @typedef {Schemas["ReportEvidence"]} ReportEvidence */

/** @param {{ id: string }} properties */
export function Report({ id }) {
  const { data: found, reload, state } = useSection("/v1/admin/reports/{id}", { path: { id } });
  if (!found) return html`<h1>${t("desk.report")}</h1>${state}`;
  const { report, evidence } = found;
  const { subject } = report;
  return html`<h1>${t("desk.report")}: ${t(`desk.topic.${report.about}`)}</h1>${state}
    <div class="two">
      <section class="panel"><h2>${t("desk.text")}</h2><p>${quoted(report.text)}</p><${Facts} pairs=${factsOf(report)} /></section>
      <section class="panel" data-list="next"><h2>${t("desk.next")}</h2>
        <p><a class="button quiet" href=${`/desk/accounts/${subject.id}?report=${report.id}`}>${t("desk.toMeasures")}</a></p>
        ${report.decision === null && html`<${Decision} report=${report} reload=${reload} />`}
        <p role="status">${report.decision && html`<strong>${stateOf(report)}</strong> ${quoted(report.reason)}`}</p>
      </section>
    </div>
    ${report.about !== "appeal" && html`<${Evidence} evidence=${evidence} />`}`;
}

/** @param {QueuedReport} report @returns {[string, unknown][]} */
const factsOf = (report) => [
  ["subject", html`<${Person} person=${report.subject} />`],
  ["reporter", html`<${Person} person=${report.reporter} />`],
  ["game", html`<${GameLink} id=${report.game} />`],
  ["created_at", when(report.created_at)],
  ["takenBy", report.taken_by && html`<${Person} person=${report.taken_by} /> · ${when(report.taken_at)}`],
  ["decided_at", when(report.decided_at)],
];

/** @param {{ report: QueuedReport, reload: () => void }} properties */
function Decision({ report, reload }) {
  const path = { id: report.id };
  const { busy, run, trouble } = useAct();
  const take = async () => {
    await api("POST", "/v1/admin/reports/{id}/take", { path });
    reload();
  };
  const decide = async (/** @type {Schemas["DecisionRequest"]} */ body) => {
    await api("POST", "/v1/admin/reports/{id}/decision", { path, body });
    reload();
  };
  const buttons = ["upheld", "dismissed"].map((decision) => ["decision", decision, t(`desk.decide.${decision}`)]);
  return html`${
    report.taken_by?.id !== session.account?.id &&
    html`<p><button disabled=${busy} onClick=${() => run(take)}>
      ${t(report.taken_by ? "desk.takeOver" : "desk.take")}</button></p>`
  }
    ${trouble}
    <p>${t("desk.decide.about")}</p>
    <${ActForm} buttons=${buttons} send=${decide} />`;
}

/** What the reporter could see. @param {{ evidence: ReportEvidence }} properties */
function Evidence({ evidence: { name, version, players, reactions, rounds } }) {
  const { data } = useLoaded(reactions.length > 0 ? "/v1/reactions" : null);
  const words = data?.items ?? [];
  const said = (/** @type {string} */ reaction) => {
    const { text = reaction, symbol = null } = words.find((one) => one.reaction === reaction) ?? {};
    return symbol ? `${symbol} ${text}` : text;
  };
  const nameOf = (/** @type {string} */ account) =>
    html`<${Person} person=${{ id: account, name: players.find((one) => one.account === account)?.name ?? account }} />`;
  return html`<section class="panel"><h2>${t("desk.evidence")}</h2>
      <${Facts} pairs=${[
        ["nameThen", html`<bdi>${name}</bdi>`],
        ["version", version && number(version)],
        [
          "players",
          players.length > 0
            ? html`<span class="row">${players.map(({ account }) => html`<span key=${account}>${nameOf(account)}</span>`)}</span>`
            : null,
        ],
      ]} />
    </section>
    <${Listed} name="reactions" columns=${["at", "by", "said"]}
      rows=${reactions.map(({ account, reaction, at }) => [when(at), nameOf(account), said(reaction)])} />
    <section class="panel" data-list="rounds"><h2>${t("desk.rounds")}</h2><${Rounds} rounds=${JSON.parse(rounds)} /></section>`;
}

/** Points, calls and tricks of the finished rounds. @param {{ rounds: Schemas["SheetRow"][] }} properties */
function Rounds({ rounds }) {
  const seats = rounds[0]?.seats ?? [];
  return html`<${Table} label=${t("desk.rounds")} columns=${["round", ...seats.map((_, seat) => `seat.${seat}`)]}
    rows=${rounds.map((row) => [
      number(row.round),
      ...row.seats.map(
        ({ call, tricks, points, total }) => html`<strong>${number(points)}</strong>
      <small>${row.folded ? t("desk.folded") : `${number(tricks)}${call ? ` / ${number(call.tricks)}` : ""}`}</small>
          <small>Σ ${number(total)}</small>`,
      ),
    ])} />`;
}
