// A page of the numbered rule book, which is normative and in English.

import { loadArea, t } from "../i18n/index.js";
import { Prose } from "../learn/prose.js";
import { html, loadStyle, useEffect, useState } from "../view.js";

await Promise.all([loadArea("learn"), loadStyle("learn")]);

/** @param {string} page @returns {Promise<string>} empty if there is none */
async function textOf(page) {
  const answer = await fetch(`/docs/rules/${encodeURIComponent(page)}.md`);
  return answer.ok ? answer.text() : "";
}

/** @param {{ id: string }} properties */
export default function RuleBookPage({ id }) {
  const [text, setText] = useState(/** @type {string | null} */ (null));
  useEffect(() => void textOf(id).then(setText, () => setText("")), [id]);
  if (text === null) return null;
  return html`<article class="rules">
    ${
      text === ""
        ? html`<h1>${t("learn.rules")}</h1><p>${t("learn.missing")}</p>`
        : html`<div lang="en" dir="ltr"><${Prose} text=${text} /></div>`
    }
    <p><a href="/rules">${t("learn.back")}</a></p>
  </article>`;
}
