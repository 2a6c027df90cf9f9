// What moderators did to the own account: the notice, and the form to appeal.

import { api, now } from "../api/client.js";
import { loadArea, t, time } from "../i18n/index.js";
import { Refusal, useLoaded, useTask } from "../parts/requests.js";
import { html, submitted, useState, valued } from "../view.js";

await loadArea("people");

/** @typedef {Schemas["StandingView"]} StandingView */

/** The acts that take a right away. @type {["may_play" | "may_talk", string[]][]} */
const LASTING = [
  ["may_play", ["banned", "suspended"]],
  ["may_talk", ["muted"]],
];

/**
 * The acts that are in effect: at most one for each right. Who may not play may not talk either.
 * @param {StandingView} standing the newest act first
 */
export function inEffect(standing) {
  const lifted = standing.acts.findIndex(({ act }) => act === "lifted");
  const acts = standing.acts
    .slice(0, lifted < 0 ? undefined : lifted)
    .filter(({ until }) => !until || Date.parse(until) > now());
  return LASTING.flatMap(([right, names]) =>
    standing[right] ? [] : (acts.find(({ act }) => names.includes(act)) ?? []),
  );
}

/**
 * Why the account may not play or talk; nothing in good standing.
 * @param {{ isWhole?: boolean }} properties `isWhole`: with all acts
 */
export function Standing({ isWhole = false }) {
  const { data: standing } = useLoaded("/v1/me/standing");
  if (!standing) return null;
  const isGood = standing.may_play && standing.may_talk;
  const acts = isWhole ? standing.acts : [];
  if (isGood && acts.length === 0) return null;
  return html`<section class="panel standing" aria-label=${t("standing.title")}>
    ${inEffect(standing).map(
      ({ id, act, reason, until, appeal }) => html`<div key=${id} class="notice">
      <h2>${t(`standing.${act}`)}</h2>
      <p>${until ? t("standing.until", { at: time(until) }) : t("standing.noEnd")}</p>
      <p>${t("standing.reason")} <q dir="auto">${reason}</q></p>
      ${appeal && html`<p>${t("standing.how")} <q dir="auto">${appeal}</q></p>`}
    </div>`,
    )}
    ${isGood ? null : html`<${Appeal} />`}
    ${
      acts.length > 0 &&
      html`<h2>${t("standing.acts")}</h2>
      <ul class="changes">${acts.map(
        ({ id, act, reason, at }) => html`<li key=${id}>
        ${t(`standing.did.${act}`)} · ${time(at)} · <q dir="auto">${reason}</q></li>`,
      )}</ul>`
    }
  </section>`;
}

/** The last appeal with its state, and a form while none waits. */
function Appeal() {
  const { data, reload } = useLoaded("/v1/me/reports");
  const task = useTask();
  const [text, setText] = useState("");
  const reports = data?.items;
  const last = reports?.find(({ about }) => about === "appeal");
  const send = submitted(() => {
    void task.run(async () => {
      await api("POST", "/v1/appeals", { body: { text } });
      setText("");
      reload();
    });
  });
  if (!reports) return null;
  return html`
    ${
      last &&
      html`<div class="appeal">
      <h3>${t("report.about.appeal")} · ${time(last.created_at)}</h3>
      <p role="status">${t(`report.state.${last.state}`)}${last.answer ? html` <q dir="auto">${last.answer}</q>` : null}</p>
    </div>`
    }
    ${
      last?.state !== "open" &&
      html`<form class="fields" onSubmit=${send}>
      <label><span>${t("standing.appeal")}</span>
        <textarea name="appeal" rows="3" maxlength="500" required dir="auto" value=${text}
          onInput=${valued(setText)}></textarea></label>
      <${Refusal} error=${task.error} />
      <div class="row"><button disabled=${task.busy}>${t("standing.send")}</button></div>
    </form>`
    }`;
}
