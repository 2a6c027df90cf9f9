// Form fields. The pages of those about rulesets load the texts of the lobby.

import { number, t } from "../i18n/index.js";
import { html } from "../view.js";

/**
 * One of several values. Other properties are those of the element.
 * @param {{ value: string | number, choices: [value: string | number, words: string][], onChange: (value: any) => void }} properties
 */
export function Select({ value, choices, onChange, ...others }) {
  const change = (/** @type {any} */ { target }) => onChange(choices[target.selectedIndex]?.[0]);
  return html`<select ...${others} value=${value} onChange=${change}>
    ${choices.map(([one, words]) => html`<option key=${one} value=${one}>${words}</option>`)}
  </select>`;
}

/** A choice after its label. @param {{ label: string, children?: unknown }} properties and those of `Select` */
export function Choice({ label, children, ...select }) {
  return html`<label><span>${label}</span><${Select} ...${select} />${children}</label>`;
}

/**
 * Something to switch on. Other properties are those of the element.
 * @param {{ label: string, about?: string, checked: boolean, onChange: (checked: boolean) => void }} properties
 */
export function Check({ label, about, checked, onChange, ...others }) {
  return html`<label class="check"><input type="checkbox" ...${others} checked=${checked} onChange=${() => onChange(!checked)} />
    <div>${label}${about ? html`<br /><small>${about}</small>` : null}</div></label>`;
}

/** @param {{ rulesets: Schemas["Ruleset"][], value: string, onChange: (ruleset: string) => void }} properties */
export function RulesetChoice({ rulesets, ...choice }) {
  return html`<${Choice} label=${t("new.ruleset")} choices=${rulesets.map(({ id, title }) => [id, title])} ...${choice} />`;
}

/**
 * The number of players, which one ruleset leaves open.
 * @param {{ ruleset: string, value: number, onChange: (players: number) => void }} properties
 */
export function PlayersChoice({ ruleset, ...choice }) {
  if (ruleset !== "nineteen") return null;
  return html`<${Choice} label=${t("new.players")} choices=${[2, 3, 4, 5].map((count) => [count, number(count)])} ...${choice} />`;
}
