// The ways into an account besides the password: issuers such as Apple and Google, and what other devices changed about them.

import { api } from "../api/client.js";
import { issuers } from "../api/issuers.js";
import { loadArea, t, time } from "../i18n/index.js";
import { html, useEffect, useSource } from "../view.js";
import { Refusal, useLoaded, useTask } from "./requests.js";

await loadArea("ways");

/** What people call an issuer. @param {string} name */
const called = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** The issuers to which the web app can send players. */
function useIssuers() {
  const { data } = useLoaded("/v1/issuers");
  return data?.items.filter(({ web }) => web) ?? [];
}

/** Sign-in without a password; nothing where the server has no issuers. */
export function IssuerEntrance() {
  useSource(issuers);
  const all = useIssuers();
  const task = useTask();
  if (all.length === 0 && !issuers.error) return null;
  return html`<section class="panel">
    <h2>${t("ways.entrance")}</h2>
    <${Refusal} error=${task.error ?? issuers.error} />
    <div class="row">${all.map(
      (issuer) => html`<button key=${issuer.name} disabled=${task.busy}
      onClick=${() => task.run(() => issuers.leave(issuer, false))}>${t("ways.with", { issuer: called(issuer.name) })}</button>`,
    )}</div>
  </section>`;
}

/** Who signs in to the own account, and what other devices changed about that. */
export function WaysIn() {
  useSource(issuers);
  const all = useIssuers();
  const { data, reload } = useLoaded("/v1/me/identities");
  useEffect(() => void (issuers.linked && reload()), [issuers.linked]);
  const { data: changed } = useLoaded("/v1/me/changes");
  const task = useTask();
  const linked = data?.items ?? [];
  const others = changed?.items.filter(({ current }) => !current) ?? [];
  const remove = (/** @type {string} */ id) =>
    task.run(() => api("DELETE", "/v1/me/identities/{id}", { path: { id } }).then(reload));
  if (all.length === 0 && linked.length === 0 && others.length === 0 && !issuers.error) return null;
  return html`<section class="panel ways">
    <h2>${t("ways.title")}</h2>
    <${Refusal} error=${task.error ?? issuers.error} />
    <ul>${linked.map(
      ({ id, name, issuer, linked_at }) => html`<li key=${id} class="row spread">
      <span><bdi>${name ? called(name) : issuer}</bdi> · ${t("ways.since", { at: time(linked_at) })}</span>
      <button class="quiet" disabled=${task.busy} onClick=${() => remove(id)}>${t("ways.remove")}</button></li>`,
    )}</ul>
    <div class="row">${all.map(
      (issuer) => html`<button key=${issuer.name} class="quiet" disabled=${task.busy}
      onClick=${() => task.run(() => issuers.leave(issuer, true))}>${t("ways.link", { issuer: called(issuer.name) })}</button>`,
    )}</div>
    ${
      others.length > 0 &&
      html`<h3>${t("ways.others")}</h3>
      <p>${t("ways.othersAbout")}</p>
      <ul class="changes">${others.map(({ id, kind, at }) => html`<li key=${id}>${t(`ways.${kind}`)} · ${time(at)}</li>`)}</ul>`
    }
  </section>`;
}
