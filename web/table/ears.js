// What a table has for ears: the announcer, the keys that ask about the table, and the list of them.

import { t } from "../i18n/index.js";
import { closeDialog } from "../parts/dialog.js";
import { settings } from "../settings.js";
import { html, useEffect, useMemo, useRef, useSource } from "../view.js";
import { Voice } from "./announcer.js";
import { QUESTIONS } from "./answers.js";

/** Fields in which letters are text. */
const FIELDS = "input, select, textarea, [contenteditable]";

/** Whether a key belongs to the table. @param {KeyboardEvent} event */
function isFree({ target, ctrlKey, altKey, metaKey, defaultPrevented }) {
  const isField = target instanceof Element && target.closest(FIELDS) !== null;
  return !(isField || ctrlKey || altKey || metaKey || defaultPrevented);
}

/** The announcer, and the button "?" with the list of keys. @param {{ shown: Shown }} properties */
export function Ears({ shown }) {
  /** @type {Ref<HTMLDialogElement>} */
  const dialog = useRef(null);
  const voice = useMemo(() => new Voice(shown), [shown]);
  const { said, answer: answered } = voice;
  useSource(settings);
  useSource(voice);
  useEffect(() => voice.forget());
  useEffect(() => voice.follow(), [voice]);
  /** What the letters do. */
  const keys = [
    ...QUESTIONS.map(({ name, letter, answer }) => ({
      name,
      letter,
      act: () => shown.view && voice.reply(answer(shown, shown.view)),
    })),
    { name: "now", letter: "N", act: () => shown.hurry() },
  ];
  const open = () => dialog.current?.showModal();
  // Some people control the browser by voice, or press keys by accident.
  const change = (/** @type {Event} */ { target }) =>
    settings.set("keys", /** @type {HTMLInputElement} */ (target).checked);
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      if (!isFree(event)) return;
      if (event.key === "?") return open();
      // The place of a key is the same on every keyboard.
      if (settings.get("keys")) keys.find(({ letter }) => event.code === `Key${letter}`)?.act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [shown, voice]);
  return html`<button class="quiet keys-button" aria-label=${t("keys.title")} aria-keyshortcuts="?" onClick=${open}>?</button>
    <dialog ref=${dialog} class="keys" aria-label=${t("keys.title")}>
      <p>${t("keys.about")} <a href=${`/rules/${shown.view?.ruleset.id}`}>${t("shell.rules")}</a></p>
      <ul class="list">
        ${keys.map(
          ({ name, letter, act }) => html`<li key=${name}>
          <button class="quiet" onClick=${act}>
            <kbd>${letter}</kbd>
            <span>${t(`keys.${name}`)}</span>
          </button>
        </li>`,
        )}
        <li class="row"><kbd>?</kbd> <span>${t("keys.list")}</span></li>
      </ul>
      <label class="check">
        <input type="checkbox" checked=${settings.get("keys")} onChange=${change} />
        ${t("keys.on")}
      </label>
      <p class="answer" role="status">${answered?.text}</p>
      <button onClick=${closeDialog}>${t("felt.close")}</button>
    </dialog>
    <div class="hidden announcer">
      <div role="log" aria-live="polite" aria-label=${t("keys.announcer")}>
        ${said.map(({ id, text }) => html`<p key=${id}>${text}</p>`)}
      </div>
      <div role="status" aria-live="assertive">${answered && html`<p key=${answered.id}>${answered.text}</p>`}</div>
    </div>`;
}
