// Why the server refused something, in its own words.

import { Offline, Problem } from "../api/problem.js";
import { t } from "../i18n/index.js";
import { html } from "../view.js";

/** @param {{ error: unknown }} properties null shows nothing */
export function Refusal({ error }) {
  if (!error) return null;
  if (error instanceof Offline) return html`<p class="notice" role="alert">${t("shell.noAnswer")}</p>`;
  if (!(error instanceof Problem)) return html`<p class="notice" role="alert">${String(error)}</p>`;
  const { title, detail, members } = error;
  return html`<div class="notice" role="alert">
    <strong>${title}</strong>
    ${detail && detail !== title ? html`<p>${detail}</p>` : null}
    ${members.errors?.length
      ? html`<ul>${members.errors.map((one) => html`<li key=${one.field}><code>${one.field}</code> ${one.detail}</li>`)}</ul>`
      : null}
  </div>`;
}
