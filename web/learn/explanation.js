// The dialog that explains a word of the game or an option of a table.

import { here } from "../here.js";
import { language, loadArea, t } from "../i18n/index.js";
import { html, render, useEffect, useRef, useState } from "../view.js";

await loadArea("learn");

/** @typedef {{ name: string, text: string, see: string[] }} Entry `text` has no marks, and `see` has other words to look up */

/** All words and options in the language. @returns {Promise<Record<string, Entry>>} */
export async function words() {
  return (await import(`./texts/${language()}/words.js`)).default;
}

/** It has a place of its own, so that it can be opened from labels, lists and the table. @type {HTMLElement | null} */
let place = null;

/** @param {string} word */
export async function explain(word) {
  const entries = await words();
  const container = (place ??= document.body.appendChild(document.createElement("div")));
  const close = () => render(null, container);
  render(html`<${Explanation} entries=${entries} first=${word} close=${close} />`, container);
}

/** @param {{ entries: Record<string, Entry>, first: string, close: () => void }} properties */
function Explanation({ entries, first, close }) {
  /** @type {Ref<HTMLDialogElement>} */
  const dialog = useRef(null);
  const [word, setWord] = useState(first);
  const entry = entries[word];
  useEffect(() => dialog.current?.showModal(), []);
  // Another page has another subject.
  useEffect(() => here.subscribe(close), []);
  const dismiss = (/** @type {Event} */ event) => event.target === dialog.current && dialog.current?.close();
  if (!entry) return null;
  return html`<dialog ref=${dialog} class="explanation" aria-labelledby="explained" data-word=${word} onClose=${close} onClick=${dismiss}>
    <div>
      <div aria-live="polite">
        <h2 id="explained">${entry.name}</h2>
        <p>${entry.text}</p>
      </div>
      ${
        entry.see.length > 0 &&
        html`<p class="row"><small>${t("learn.see")}</small>
        ${entry.see.map(
          (one) => html`<button key=${one} type="button" class="word"
          onClick=${() => setWord(one)}>${entries[one]?.name}</button>`,
        )}</p>`
      }
      <button type="button" class="quiet" onClick=${() => dialog.current?.close()}>${t("learn.close")}</button>
    </div>
  </dialog>`;
}
