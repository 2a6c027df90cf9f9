// The options of a ruleset as form fields.

import { loadArea, number, t } from "../i18n/index.js";
import { Word } from "../learn/word.js";
import { html } from "../view.js";

await loadArea("lobby");

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

/**
 * The options of a table that differ from those of its ruleset, in words.
 * @param {RulesetOption[]} options
 * @param {Record<string, unknown>} values the values at the table, by name
 */
export function differences(options, values) {
  return options.flatMap(({ name, title, values: all, default: usual }) => {
    const value = all.find((one) => plain(one) === values[name]);
    return value && plain(value) !== plain(usual) ? [{ name, title, value: words(value) }] : [];
  });
}

/**
 * Each title opens what the option means.
 * @param {{ options: RulesetOption[], values: Record<string, string>, onChange: (values: Record<string, string>) => void }} properties
 */
export function Options({ options, values, onChange }) {
  return html`<div class="grid">
    ${options.map((one) => {
      const change = (/** @type {any} */ event) => onChange({ ...values, [one.name]: event.target.value });
      return html`<div key=${one.name} class="option">
        <${Word} word=${`option.${one.name}`}>${one.title}</${Word}>
        <select name=${one.name} aria-label=${one.title} value=${values[one.name] ?? String(plain(one.default))} onChange=${change}>
          ${one.values.map((value) => html`<option key=${String(plain(value))} value=${String(plain(value))}>${words(value)}</option>`)}
        </select>
        <small>${one.description}</small></div>`;
    })}
  </div>`;
}
