// What a person chooses for this browser: pace, sound, colours, notifications and language.

import { language, loadArea, setLanguage, t } from "../i18n/index.js";
import { settings } from "../settings.js";
import { askToNotify, canNotify, isRefused } from "../signals/notification.js";
import { html, useEffect, useRef, useSource, useState } from "../view.js";
import { Check } from "./fields.js";

await loadArea("account");

/** @type {Record<string, string>} */
const LANGUAGES = { en: "English", ar: "العربية" };

/**
 * One of several, as radio buttons.
 * @template {string} T
 * @param {{ name: string, values: readonly T[], value: T, onChange: (value: T) => void }} properties
 */
function Choice({ name, values, value, onChange }) {
  return html`<fieldset class="radios">
    <legend>${t(`settings.${name}`)}</legend>
    ${values.map(
      (one) => html`<label key=${one}>
      <input type="radio" name=${`settings-${name}`} checked=${one === value} onChange=${() => onChange(one)} />
      <span lang=${one in LANGUAGES ? one : null}>${LANGUAGES[one] ?? t(`settings.${name}.${one}`)}</span></label>`,
    )}
  </fieldset>`;
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
  const { speed, suits, sound, notify } = settings.choices;
  return html`<div class="settings">
    <${Choice} name="speed" values=${["slow", "normal", "fast"]} value=${speed} onChange=${settings.setter("speed")} />
    <${Choice} name="suits" values=${["four", "two"]} value=${suits} onChange=${settings.setter("suits")} />
    <${Choice} name="language" values=${Object.keys(LANGUAGES)} value=${language()} onChange=${setLanguage} />
    <${Check} name="settings-sound" label=${t("settings.sound")} about=${t("settings.soundAbout")} checked=${sound}
      onChange=${settings.setter("sound")} />
    <${Check} name="settings-notify" label=${t("settings.notify")} about=${t(about)} checked=${notify && !isDenied}
      disabled=${!canNotify()} onChange=${setNotify} />
  </div>`;
}

/**
 * A button that opens the settings in a dialog.
 * @param {{ label?: unknown }} properties what the button shows instead of its name
 */
export function SettingsButton({ label }) {
  /** @type {Ref<HTMLDialogElement>} */
  const dialog = useRef(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return html`<button type="button" class=${label ? "plain" : "quiet"} aria-label=${label ? t("settings.title") : null}
      onClick=${() => setOpen(true)}>${label ?? t("settings.title")}</button>
    ${
      isOpen &&
      html`<dialog ref=${dialog} aria-label=${t("settings.title")} onClose=${() => setOpen(false)}>
      <h2>${t("settings.title")}</h2>
      <${Settings} />
      <div class="row"><button type="button" onClick=${() => dialog.current?.close()}>${t("settings.close")}</button></div>
    </dialog>`
    }`;
}
