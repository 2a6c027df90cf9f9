// The options of a ruleset as form fields.

import { loadArea, number, t } from "../i18n/index.js";
import { html } from "../view.js";

await loadArea("options");

/** @typedef {import("../schema").components["schemas"]["RulesetOption"]} RulesetOption */
/** @typedef {import("../schema").components["schemas"]["OptionValue"]} OptionValue */

/** The value alone, as requests have it. @param {OptionValue} value */
const plain = (value) => value.string ?? value.integer ?? value.boolean;

/**
 * The options as a request has them: the chosen ones.
 * @param {RulesetOption[]} options
 * @param {Record<string, string>} values the chosen values as text, by name
 */
export function chosen(options, values) {
  const pairs = options.map((one) => [one.name, one.values.map(plain).find((value) => String(value) === values[one.name])]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

/** @param {OptionValue} value */
function words(value) {
  if (value.integer !== undefined) return number(value.integer);
  return t(`option.${plain(value)}`);
}

/** @param {{ options: RulesetOption[], values: Record<string, string>, onChange: (values: Record<string, string>) => void }} properties */
export function Options({ options, values, onChange }) {
  return html`<div class="grid">
    ${options.map(
      (one) => html`<label key=${one.name}><span>${one.title}</span>
        <select name=${one.name} value=${values[one.name] ?? String(plain(one.default))}
          onChange=${(/** @type {any} */ event) => onChange({ ...values, [one.name]: event.target.value })}>
          ${one.values.map((value) => html`<option key=${String(plain(value))} value=${String(plain(value))}>${words(value)}</option>`)}
        </select>
        <small>${one.description}</small></label>`,
    )}
  </div>`;
}
