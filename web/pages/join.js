// An invitation: the table before one joins it, and a name for a guest.

import { session } from "../api/session.js";
import { join } from "../game/tables.js";
import { here } from "../here.js";
import { loadArea, number, t } from "../i18n/index.js";
import { Refusal, useLoaded, useTask } from "../parts/requests.js";
import { differences } from "../table/options.js";
import { html, submitted, useSource, useState, valued } from "../view.js";

await Promise.all([loadArea("lobby"), loadArea("table")]);

/** @param {{ code: string }} properties */
export default function Join({ code }) {
  useSource(session);
  const { data: invitation, error } = useLoaded("/v1/join/{code}", { path: { code }, seconds: 5 });
  const isFull = invitation?.seats.every(({ player }) => player !== null) ?? true;
  return html`<h1>${t("join.title")}</h1>
    <p>${t("join.code")} <code dir="ltr">${code}</code></p>
    <${Refusal} error=${error} />
    ${invitation || error ? null : html`<p role="status">${t("shell.loading")}</p>`}
    ${invitation && html`<${Invitation} invitation=${invitation} />`}
    ${invitation && !error ? (isFull ? html`<p role="status">${t("join.full")}</p>` : html`<${Seat} code=${code} />`) : null}`;
}

/** The table: rules, host and seats. @param {{ invitation: Schemas["Invitation"] }} properties */
function Invitation({ invitation }) {
  const { host, ruleset, seats, turn_seconds: seconds } = invitation;
  const { data: rules } = useLoaded("/v1/rulesets/{id}", { path: { id: ruleset.id } });
  const options = differences(rules?.options ?? [], ruleset.options);
  const taken = seats.filter(({ player }) => player !== null).length;
  return html`<section class="panel">
    <h2>${ruleset.title}</h2>
    ${rules ? html`<p><small>${rules.description}</small></p>` : null}
    <p>${t("join.host")} <bdi>${host.name}</bdi></p>
    ${seconds === null ? null : html`<p>${t("join.clock", { seconds })}</p>`}
    ${
      options.length > 0
        ? html`<ul class="options">
      ${options.map(({ name, title, value }) => html`<li key=${name}>${title}: ${value}</li>`)}</ul>`
        : null
    }
    <h3>${t("lobby.seats", { taken, players: seats.length })}</h3>
    <ol class="list">
      ${seats.map(
        ({ player }, seat) => html`<li key=${seat}>
        ${number(seat + 1)}. ${player ? html`<bdi>${player.name}</bdi>` : t("table.free")}
        ${player?.kind === "bot" ? html` <span class="badge">${t("felt.bot")}</span>` : null}
      </li>`,
      )}
    </ol>
  </section>`;
}

/** Takes a seat, after a guest has given a name. @param {{ code: string }} properties */
function Seat({ code }) {
  const task = useTask();
  const [guest, setGuest] = useState("");
  const name = session.account?.display_name;
  const take = submitted(() => {
    task.run(async () => {
      await session.ensure(guest.trim() || undefined);
      here.go(`/games/${(await join(code)).id}`);
    });
  });
  return html`<form class="panel fields" onSubmit=${take}>
    ${
      session.isOpen
        ? null
        : html`<label><span>${t("join.name")}</span>
      <input name="display_name" dir="auto" autocomplete="nickname" maxlength="40" value=${guest} onInput=${valued(setGuest)} /></label>`
    }
    <${Refusal} error=${task.error} />
    <div class="row">
      <button disabled=${task.busy}>${name ? html`${t("join.as")} <bdi>${name}</bdi>` : t("join.guest")}</button>
      ${session.isOpen ? null : html`<a class="button quiet" href="/account">${t("shell.signIn")}</a>`}
    </div>
  </form>`;
}
