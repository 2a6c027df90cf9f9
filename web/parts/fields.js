// Forms and their fields. The pages of those about rulesets load the texts of the lobby.

import { number, t } from "../i18n/index.js";
import { html, submitted, useEffect, useRef, useState, valued } from "../view.js";
import { Refusal, useTask } from "./requests.js";

/** Arabic keyboards may write Arabic digits. @param {string} code */
const western = (code) => code.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15));

/**
 * @typedef {{ name: string, label: string, completion: string, type?: string, mode?: string }} Field `mode`: the
 *     keyboard for a code
 */

/**
 * A form whose fields are texts. Where it asks for a code, it begins in that field.
 * @param {{ fields: Field[], send: (values: Record<string, string>) => Promise<unknown>, button: string, title?: string, about?: string,
 *     done?: string, kind?: string, initial?: Record<string, string>, isDanger?: boolean, extra?: unknown }} properties `send` gets the
 *     values by their names; `done` is said then; `extra` stands beside the button
 */
export function Form({
  fields,
  send,
  button,
  title,
  about,
  done,
  kind = "panel fields",
  initial = {},
  isDanger = false,
  extra,
}) {
  const task = useTask();
  const [values, setValues] = useState(initial);
  const [isDone, setDone] = useState(false);
  /** @type {Ref<HTMLInputElement>} */
  const code = useRef(null);
  useEffect(() => code.current?.focus(), [task.error, fields[0]?.mode]);
  const submit = submitted(() => {
    setDone(false);
    void task.run(async () => {
      await send(values);
      setDone(true);
    });
  });
  return html`<form class=${kind} onSubmit=${submit}>
    ${title && html`<h2>${title}</h2>`}
    ${about && html`<p>${about}</p>`}
    ${fields.map(
      ({ name, label, completion, type = "text", mode }) => html`<label key=${name}><span>${label}</span>
      <input ref=${mode ? code : null} name=${name} type=${type} inputmode=${mode}
        dir=${type === "email" || mode ? "ltr" : "auto"} autocomplete=${completion}
        value=${values[name] ?? ""}
          onInput=${valued((value) => setValues({ ...values, [name]: mode ? western(value) : value }))} /></label>`,
    )}
    <${Refusal} error=${task.error} />
    <p role="status">${isDone && done}</p>
    <div class="row"><button class=${isDanger ? "danger" : ""} disabled=${task.busy}>${button}</button>${extra}</div>
  </form>`;
}

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
