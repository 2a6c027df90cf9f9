// A new table, with the options of its ruleset in the words of the server.

import { session } from "../api/session.js";
import { openTable } from "../game/tables.js";
import { here } from "../here.js";
import { loadArea, t } from "../i18n/index.js";
import { Check, Choice, PlayersChoice, RulesetChoice } from "../parts/fields.js";
import { useTitle } from "../parts/page.js";
import { Refusal, useLoaded, useRulesets, useTask } from "../parts/requests.js";
import { Options, chosen } from "../table/options.js";
import { html, submitted, useSource, useState } from "../view.js";

await loadArea("lobby");

const TURN_SECONDS = [0, 15, 30, 60, 300, 86_400];
const FIRST = {
  id: /** @type {Schemas["KnownRulesetId"]} */ ("squares"),
  players: 4,
  values: {},
  seconds: 60,
  isPrivate: false,
  spectators: true,
  talk: true,
};

export default function NewTable() {
  useSource(session);
  useTitle(t("new.title"));
  const task = useTask();
  const [wish, setWish] = useState(FIRST);
  const { id, players, values, seconds, isPrivate, spectators, talk } = wish;
  const setter = (/** @type {keyof typeof FIRST} */ name) => (/** @type {unknown} */ value) =>
    setWish({ ...wish, [name]: value });
  const { rulesets } = useRulesets();
  const { data: loaded, error } = useLoaded("/v1/rulesets/{id}", { path: { id } });
  const ruleset = loaded?.id === id ? loaded : null;
  const open = submitted(() => {
    /** @type {Schemas["CreateGameRequest"]} */
    const body = {
      ruleset: id,
      options: chosen(ruleset?.options ?? [], values),
      ...(id === "nineteen" ? { players } : {}),
      ...(seconds > 0 ? { turn_seconds: seconds } : {}),
      visibility: isPrivate ? "private" : "public",
      spectators,
      talk,
    };
    task.run(async () => here.go(`/games/${(await openTable(body)).id}`));
  });
  return html`<h1>${t("new.title")}</h1>
    <form onSubmit=${open}>
      <div class="fields panel">
        <${RulesetChoice} rulesets=${rulesets} value=${id}
          onChange=${(/** @type {typeof id} */ other) => setWish({ ...wish, id: other, values: {} })}>
          <small>${ruleset?.description}</small><//>
        <${PlayersChoice} ruleset=${id} value=${players} onChange=${setter("players")} />
        <${Choice} label=${t("new.clock")} value=${seconds} onChange=${setter("seconds")}
          choices=${TURN_SECONDS.map((one) => [one, t(`new.clock.${one}`)])} />
        <${Check} label=${t("new.private")} about=${t("new.privateAbout")} checked=${isPrivate} onChange=${setter("isPrivate")} />
        <${Check} label=${t("new.spectators")} about=${t("new.spectatorsAbout")} checked=${spectators} onChange=${setter("spectators")} />
        <${Check} label=${t("new.talk")} about=${t("new.talkAbout")} checked=${talk} onChange=${setter("talk")} />
      </div>
      ${
        ruleset &&
        html`<details class="panel"><summary>${t("new.options")}</summary>
        <${Options} options=${ruleset.options} values=${values} onChange=${setter("values")} /></details>`
      }
      <${Refusal} error=${task.error ?? error} />
      <button disabled=${task.busy || !ruleset}>${t("new.open")}</button>
    </form>`;
}
