// What the sections of the desk share: loading, refusals, tables and links.

import { api } from "../api/client.js";
import { Problem } from "../api/problem.js";
import { loadArea, t, time } from "../i18n/index.js";
import { Refusal, useLoaded, useTask } from "../parts/requests.js";
import { html, useState } from "../view.js";
import { mayUse } from "./roles.js";

await loadArea("desk");

/** Why the server refused something, with the way on if it wants the second step. @param {{ error: unknown }} properties */
function Trouble({ error }) {
  const wantsStep = error instanceof Problem && error.code === "second-step-required";
  return html`<${Refusal} error=${error} />
    ${
      wantsStep &&
      html`<p>${
        error.members.set_up
          ? html`<button onClick=${() => location.reload()}>${t("desk.step.again")}</button>`
          : html`<a class="button" href="/account">${t("desk.step.setUp")}</a>`
      }</p>`
    }`;
}

/**
 * Loads something for a section, as `useLoaded` does. `state` says why there is nothing to see yet, and stands above the page later.
 * @template {PathOf<"GET">} P
 * @param {P} template @param {LoadOptions<P>} options
 */
export function useSection(template, ...options) {
  const { data, error, reload } = useLoaded(template, ...options);
  const isLoading = !data && !error;
  return {
    data,
    reload,
    state: isLoading ? html`<p role="status">${t("shell.loading")}</p>` : html`<${Trouble} error=${error} />`,
  };
}

/**
 * A request that a form or a button starts.
 * @returns {{ busy: boolean, run: (action: () => Promise<unknown>) => Promise<void>, trouble: unknown }}
 */
export function useAct() {
  const { busy, run, error } = useTask();
  return { busy, run, trouble: html`<${Trouble} error=${error} />` };
}

/** How many items of a list are loaded at once. */
const LIMIT = 50;

/**
 * @template {"/v1/audit/games" | "/v1/audit/accesses" | "/v1/admin/acts"} P
 * @typedef {{ items: Answer<"GET", P>["items"] | null, state: unknown, more: unknown }} Pages
 */

/**
 * A list that the server gives in pages. `items` is null until the first one is there; `more` is the button for the next one.
 * @type {<P extends "/v1/audit/games" | "/v1/audit/accesses" | "/v1/admin/acts">(template: P) => Pages<P>}
 */
export const usePages = (/** @type {any} */ template) => {
  const { data: first, state } = useSection(template, { query: { limit: LIMIT } });
  const { busy, run, trouble } = useAct();
  const [others, setOthers] = useState(/** @type {any[]} */ ([]));
  const pages = first ? [first, ...others] : [];
  const next = pages.at(-1)?.next_cursor;
  const load = async () =>
    setOthers([...others, await api("GET", template, { query: { limit: LIMIT, cursor: next } })]);
  const more = html`${trouble}${
    next && html`<button class="quiet" disabled=${busy} onClick=${() => run(load)}>${t("desk.more")}</button>`
  }`;
  return { items: first && pages.flatMap(({ items }) => items), state, more };
};

/**
 * A table that scrolls in its own box. The first cell of a row names it.
 * @param {{ label: string, columns: string[], rows: unknown[][] }} properties `columns`: keys of texts
 */
export function Table({ label, columns, rows }) {
  if (rows.length === 0) return html`<p>${t("desk.none")}</p>`;
  return html`<div class="scroll" role="region" aria-label=${label} tabindex="0"><table>
    <thead><tr>${columns.map((name) => html`<th key=${name} scope="col">${t(`desk.${name}`)}</th>`)}</tr></thead>
    <tbody>${rows.map(
      ([first, ...others], row) => html`<tr key=${row}><th scope="row">${first}</th>
      ${others.map((cell, column) => html`<td key=${column}>${cell ?? "–"}</td>`)}</tr>`,
    )}</tbody>
  </table></div>`;
}

/**
 * A part of a page with a table.
 * @param {{ name: string, columns: string[], rows: unknown[][], isWhole?: boolean, children?: unknown }} properties
 *     `name`: key of its title; `isWhole`: it is all of a page, which has the title
 */
export function Listed({ name, columns, rows, isWhole = false, children }) {
  return html`<section class="panel" data-list=${name}>${!isWhole && html`<h2>${t(`desk.${name}`)}</h2>`}${children}
    <${Table} label=${t(`desk.${name}`)} columns=${columns} rows=${rows} /></section>`;
}

/** Pairs of a name and a value. @param {{ pairs: [name: string, value: unknown][] }} properties `name`: key of a text */
export function Facts({ pairs }) {
  return html`<dl class="facts">${pairs.map(
    ([name, value]) => html`<div key=${name}><dt>${t(`desk.${name}`)}</dt><dd>${value ?? "–"}</dd></div>`,
  )}</dl>`;
}

/**
 * An account by its name, with a link for those who may look at it.
 * @param {{ person: Schemas["Person"] | null, none?: string }} properties
 */
export function Person({ person, none = "–" }) {
  if (!person) return none;
  return mayUse("accounts")
    ? html`<a href=${`/desk/accounts/${person.id}`}><bdi>${person.name}</bdi></a>`
    : html`<bdi>${person.name}</bdi>`;
}

/** A game by its shortened id. @param {{ id: string | null }} properties */
export function GameLink({ id }) {
  return id ? html`<a href=${`/desk/games/${id}`}>${short(id)}</a>` : "–";
}

/** A game or a node by the ends of its id. @param {string} id */
export const short = (id) => html`<code class="short" dir="ltr">${id.slice(0, 8)}…${id.slice(-4)}</code>`;

/** The words for yes and no. @param {boolean} value */
export const yes = (value) => t(value ? "desk.yes" : "desk.no");

/** A time of the API, or a dash. @param {string | null | undefined} at */
export const when = (at) => (at ? html`<time datetime=${at}>${time(at)}</time>` : "–");

/** A value of the API: a time in words, and other texts as they are. @param {string | null} value */
export const shown = (value) =>
  value && /^\d{4}-\d\d-\d\dT/.test(value) ? when(value) : html`<bdi>${value ?? "–"}</bdi>`;

/** What somebody wrote. @param {string | null | undefined} text */
export const quoted = (text) => (text ? html`<q dir="auto">${text}</q>` : "–");
