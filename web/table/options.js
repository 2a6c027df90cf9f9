// The options of a ruleset as form fields.

import { loadArea, number, t } from "../i18n/index.js";
import { Word } from "../learn/word.js";
import { Select } from "../parts/fields.js";
import { html } from "../view.js";

await loadArea("lobby");

/** @typedef {Schemas["RulesetOption"]} RulesetOption */
/** @typedef {Schemas["OptionValue"]} OptionValue */

/** The value alone, as requests have it. @param {OptionValue} value */
const plain = (value) => value.string ?? value.integer ?? value.boolean;

/**
 * The chosen options as a request has them; `values` are texts, by name.
 * @param {RulesetOption[]} options @param {Record<string, string>} values
 */
export function chosen(options, values) {
  const pairs = options.map((one) => [
    one.name,
    one.values.map(plain).find((value) => String(value) === values[one.name]),
  ]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

/** @param {OptionValue} value */
const words = (value) => (value.integer === undefined ? t(`option.${plain(value)}`) : number(value.integer));

/**
 * The options of a table that differ from those of its ruleset, in words; `values` are those at the table, by name.
 * @param {RulesetOption[]} options @param {Record<string, unknown>} values
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
      const change = (/** @type {string} */ value) => onChange({ ...values, [one.name]: value });
      const choices = one.values.map((value) => [String(plain(value)), words(value)]);
      return html`<div key=${one.name} class="option">
        <${Word} word=${`option.${one.name}`}>${one.title}</${Word}>
        <${Select} name=${one.name} aria-label=${one.title} value=${values[one.name] ?? String(plain(one.default))}
          choices=${choices} onChange=${change} />
        <small>${one.description}</small></div>`;
    })}
  </div>`;
}
