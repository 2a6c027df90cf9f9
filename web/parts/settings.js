// What a person chooses for this browser: pace, sound, colours, notifications and language.

import { language, loadArea, setLanguage, t } from "../i18n/index.js";
import { settings } from "../settings.js";
import { askToNotify, canNotify, isRefused } from "../signals/notification.js";
import { html, useEffect, useRef, useSource, useState } from "../view.js";

await loadArea("account");

const SPEEDS = /** @type {const} */ (["slow", "normal", "fast"]);
const SUITS = /** @type {const} */ (["four", "two"]);
const LANGUAGES = { en: "English", ar: "العربية" };

/**
 * One of several, as radio buttons.
 * @template {string} T
 * @param {{ name: string, values: readonly T[], words: (value: T) => string, value: T, onChange: (value: T) => void }} properties
 */
function Choice({ name, values, words, value, onChange }) {
  return html`<fieldset class="radios">
    <legend>${t(`settings.${name}`)}</legend>
    ${values.map((one) => html`<label key=${one}>
      <input type="radio" name=${`settings-${name}`} checked=${one === value} onChange=${() => onChange(one)} />
      <span lang=${one in LANGUAGES ? one : null}>${words(one)}</span></label>`)}
  </fieldset>`;
}

/** @param {{ name: string, checked: boolean, disabled?: boolean, about: string, onChange: (checked: boolean) => void }} properties */
function Switch({ name, checked, disabled = false, about, onChange }) {
  return html`<label class="check">
    <input type="checkbox" name=${`settings-${name}`} checked=${checked} disabled=${disabled} onChange=${() => onChange(!checked)} />
    <div>${t(`settings.${name}`)}<br /><small>${about}</small></div>
  </label>`;
}

/** The fields, for a page or a dialog. */
export function Settings() {
  useSource(settings);
  const [isDenied, setDenied] = useState(isRefused());
  // Browsers ask the player for notifications after a gesture only: this is one.
  const setNotify = async (/** @type {boolean} */ wanted) => {
    const isAllowed = wanted && (await askToNotify());
    setDenied(wanted && !isAllowed);
    settings.set("notify", isAllowed);
  };
  const about = !canNotify() ? "settings.notifyNever" : isDenied ? "settings.notifyDenied" : "settings.notifyAbout";
  const word = (/** @type {string} */ name) => (/** @type {string} */ value) => t(`settings.${name}.${value}`);
  return html`<div class="settings">
    <${Choice} name="speed" values=${SPEEDS} words=${word("speed")} value=${settings.get("speed")}
      onChange=${(/** @type {typeof SPEEDS[number]} */ value) => settings.set("speed", value)} />
    <${Choice} name="suits" values=${SUITS} words=${word("suits")} value=${settings.get("suits")}
      onChange=${(/** @type {typeof SUITS[number]} */ value) => settings.set("suits", value)} />
    <${Choice} name="language" values=${Object.keys(LANGUAGES)} words=${(/** @type {keyof typeof LANGUAGES} */ one) => LANGUAGES[one]}
      value=${language()} onChange=${setLanguage} />
    <${Switch} name="sound" checked=${settings.get("sound")} about=${t("settings.soundAbout")}
      onChange=${(/** @type {boolean} */ on) => settings.set("sound", on)} />
    <${Switch} name="notify" checked=${settings.get("notify") && !isDenied} disabled=${!canNotify()} about=${t(about)} onChange=${setNotify} />
  </div>`;
}

/** A button that opens the settings in a dialog. @param {{ label?: unknown }} properties what the button shows instead of its name */
export function SettingsButton({ label }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return html`<button type="button" class=${label ? "plain" : "quiet"} aria-label=${label ? t("settings.title") : null}
      onClick=${() => setOpen(true)}>${label ?? t("settings.title")}</button>
    ${isOpen
      ? html`<dialog ref=${dialog} aria-label=${t("settings.title")} onClose=${() => setOpen(false)}>
          <h2>${t("settings.title")}</h2>
          <${Settings} />
          <div class="row"><button type="button" onClick=${() => dialog.current?.close()}>${t("settings.close")}</button></div>
        </dialog>`
      : null}`;
}
