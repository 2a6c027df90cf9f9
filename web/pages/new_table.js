// A new table, with the options of its ruleset in the words of the server.

import { session } from "../api/session.js";
import { openTable } from "../game/tables.js";
import { loadArea, number, t } from "../i18n/index.js";
import { useLoaded } from "../parts/load.js";
import { Options, chosen } from "../parts/options.js";
import { Refusal } from "../parts/refusal.js";
import { useTask } from "../parts/task.js";
import { useTitle } from "../parts/title.js";
import { here } from "../router.js";
import { html, useSource, useState } from "../view.js";

await loadArea("lobby");

/** @typedef {import("../schema").components["schemas"]} Schemas */

const TURN_SECONDS = [0, 15, 30, 60, 300, 86_400];

export default function NewTable() {
  useSource(session);
  useTitle(t("new.title"));
  const task = useTask();
  const [id, setId] = useState("squares");
  const [players, setPlayers] = useState(4);
  const [values, setValues] = useState(/** @type {Record<string, string>} */ ({}));
  const [isPrivate, setPrivate] = useState(false);
  const [spectators, setSpectators] = useState(true);
  const [seconds, setSeconds] = useState(60);
  const rulesets = /** @type {Schemas["RulesetPage"] | null} */ (useLoaded("/v1/rulesets").data)?.items ?? [];
  const loaded = useLoaded(`/v1/rulesets/${id}`);
  const ruleset = /** @type {Schemas["Ruleset"] | null} */ (loaded.data);
  const open = (/** @type {Event} */ event) => {
    event.preventDefault();
    task.run(async () => {
      const wish = {
        ruleset: id,
        options: chosen(ruleset?.options ?? [], values),
        ...(id === "nineteen" ? { players } : {}),
        ...(seconds > 0 ? { turn_seconds: seconds } : {}),
        visibility: isPrivate ? "private" : "public",
        spectators,
      };
      here.go(`/games/${(await openTable(wish)).id}`);
    });
  };
  const value = (/** @type {any} */ event) => event.target.value;
  const checkbox = (/** @type {string} */ key, /** @type {boolean} */ checked, /** @type {(to: boolean) => void} */ set) =>
    html`<label class="check"><input type="checkbox" checked=${checked} onChange=${() => set(!checked)} />
      <div>${t(key)}<br /><small>${t(`${key}About`)}</small></div></label>`;
  return html`<h1>${t("new.title")}</h1>
    <form onSubmit=${open}>
      <div class="fields panel">
        <label><span>${t("new.ruleset")}</span>
          <select value=${id} onChange=${(/** @type {Event} */ event) => { setId(value(event)); setValues({}); }}>
            ${rulesets.map((one) => html`<option key=${one.id} value=${one.id}>${one.title}</option>`)}
          </select>
          <small>${ruleset?.id === id ? ruleset.description : ""}</small></label>
        ${id === "nineteen"
          ? html`<label><span>${t("new.players")}</span>
              <select value=${players} onChange=${(/** @type {Event} */ event) => setPlayers(Number(value(event)))}>
                ${[2, 3, 4, 5].map((count) => html`<option key=${count} value=${count}>${number(count)}</option>`)}
              </select></label>`
          : null}
        <label><span>${t("new.clock")}</span>
          <select value=${seconds} onChange=${(/** @type {Event} */ event) => setSeconds(Number(value(event)))}>
            ${TURN_SECONDS.map((one) => html`<option key=${one} value=${one}>${t(`new.clock.${one}`)}</option>`)}
          </select></label>
        ${checkbox("new.private", isPrivate, setPrivate)} ${checkbox("new.spectators", spectators, setSpectators)}
      </div>
      ${ruleset?.id === id
        ? html`<details class="panel"><summary>${t("new.options")}</summary>
            <${Options} options=${ruleset.options} values=${values} onChange=${setValues} /></details>`
        : null}
      <${Refusal} error=${task.error ?? loaded.error} />
      <button disabled=${task.busy || ruleset?.id !== id}>${t("new.open")}</button>
    </form>`;
}
