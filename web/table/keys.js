// Keys that ask about the table, and the list of them.

import { t } from "../i18n/index.js";
import { settings } from "../settings.js";
import { html, useEffect, useRef, useSource } from "../view.js";
import { QUESTIONS } from "./answers.js";

/** @typedef {import("./answers.js").Question} Question */
/** @typedef {{ shown: import("../show/shown.js").Shown, voice: import("./announcer.js").Voice }} Properties */

/** Fields in which letters are text. */
const FIELDS = "input, select, textarea, [contenteditable]";

/** The key that shows all that is waiting. */
const NOW = { code: "KeyN", letter: "N" };

/** Whether a key belongs to the table. @param {KeyboardEvent} event */
function isFree({ target, ctrlKey, altKey, metaKey, defaultPrevented }) {
  const isField = target instanceof Element && target.closest(FIELDS) !== null;
  return !(isField || ctrlKey || altKey || metaKey || defaultPrevented);
}

/** The button "?" with the list of keys. @param {Properties} properties */
export function Keys({ shown, voice }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useSource(settings);
  useSource(voice);
  const ask = (/** @type {Question} */ { answer }) => {
    if (shown.view) voice.reply(answer(shown, shown.view));
  };
  const open = () => dialog.current?.showModal();
  const close = () => dialog.current?.close();
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (!isFree(event)) return;
    if (event.key === "?") return open();
    if (!settings.get("keys")) return;
    if (event.code === NOW.code) return shown.hurry();
    const question = QUESTIONS.find(({ code }) => code === event.code);
    if (question) ask(question);
  };
  useEffect(() => {
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [shown, voice]);
  return html`<button class="quiet keys-button" aria-label=${t("keys.title")} aria-keyshortcuts="?" onClick=${open}>?</button>
    <dialog ref=${dialog} class="keys" aria-label=${t("keys.title")}>
      <p>${t("keys.about")}</p>
      <ul class="list">
        ${QUESTIONS.map((question) => html`<li key=${question.name}>
          <button class="quiet" onClick=${() => ask(question)}>
            <kbd>${question.letter}</kbd>
            <span>${t(`keys.${question.name}`)}</span>
          </button>
        </li>`)}
        <li>
          <button class="quiet" onClick=${() => shown.hurry()}>
            <kbd>${NOW.letter}</kbd>
            <span>${t("keys.now")}</span>
          </button>
        </li>
        <li class="row"><kbd>?</kbd> <span>${t("keys.list")}</span></li>
      </ul>
      <${Letters} />
      <p class="answer" role="status">${voice.answer?.text}</p>
      <button onClick=${close}>${t("felt.close")}</button>
    </dialog>`;
}

/** The switch for letters: some people control the browser by voice, or press keys by accident. */
function Letters() {
  const change = (/** @type {Event} */ { target }) => settings.set("keys", /** @type {HTMLInputElement} */ (target).checked);
  return html`<label class="check">
    <input type="checkbox" checked=${settings.get("keys")} onChange=${change} />
    ${t("keys.on")}
  </label>`;
}
