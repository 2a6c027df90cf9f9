// What a player can do about another one, apart from the seat: friendship, muting, blocking and reports.

import { api } from "../api/client.js";
import { isolated, loadArea, t } from "../i18n/index.js";
import { closeDialog, Dialog } from "../parts/dialog.js";
import { Select } from "../parts/fields.js";
import { Refusal, useLoaded, useTask } from "../parts/requests.js";
import { html, submitted, useState, valued } from "../view.js";

await loadArea("people");

/** @typedef {Schemas["Person"]} Person */
/** @typedef {keyof typeof ACTS} Act */

/** @param {{ id: string }} path @param {string} [code] */
const befriend = (path, code) => api("PUT", "/v1/me/friends/{id}", { path, query: { code } });

/** @param {{ id: string }} path */
const unfriend = (path) => api("DELETE", "/v1/me/friends/{id}", { path });

/**
 * The request of each act. The server takes the acceptance of a request as a request, and a refusal as an end.
 * @satisfies {Record<string, (path: { id: string }, code?: string) => Promise<unknown>>}
 */
const ACTS = {
  befriend,
  accept: befriend,
  decline: unfriend,
  withdraw: unfriend,
  unfriend,
  mute: (path) => api("PUT", "/v1/me/mutes/{id}", { path }),
  unmute: (path) => api("DELETE", "/v1/me/mutes/{id}", { path }),
  block: (path) => api("PUT", "/v1/me/blocks/{id}", { path }),
  unblock: (path) => api("DELETE", "/v1/me/blocks/{id}", { path }),
};

/** @param {Act} act @param {string} id @param {string} [code] the friend code by which the player was found */
export const relate = (act, id, code) => ACTS[act]({ id }, code || undefined);

/** What can be done next about a player. @param {Schemas["PeopleView"]} people @param {string} id */
export function relationOf(people, id) {
  const has = (/** @type {"friends" | "received" | "sent" | "muted" | "blocked"} */ list) =>
    people[list].some(({ player }) => player.id === id);
  /** @type {Act} */
  const friendship = has("friends") ? "unfriend" : has("received") ? "accept" : has("sent") ? "withdraw" : "befriend";
  return { friendship, isMuted: has("muted"), isBlocked: has("blocked") };
}

/**
 * Buttons for all that can be done about a player.
 * @param {{ player: Person, game: string | null }} properties `game`: where they met
 */
export function Relations({ player, game }) {
  const { data: people, error, reload } = useLoaded("/v1/me/people");
  const task = useTask();
  if (!people)
    return html`<${Refusal} error=${error} />${error ? null : html`<p role="status">${t("shell.loading")}</p>`}`;
  const { friendship, isMuted, isBlocked } = relationOf(people, player.id);
  const run = (/** @type {Act} */ act) =>
    task.run(async () => {
      await relate(act, player.id);
      reload();
    });
  const button = (/** @type {Act} */ act) =>
    html`<button key=${act} class="quiet" data-act=${act} disabled=${task.busy} onClick=${() => run(act)}>${t(`person.${act}`)}</button>`;
  const block = (/** @type {Event} */ event) => {
    closeDialog(event);
    void run("block");
  };
  return html`
    ${isBlocked ? null : button(friendship)}
    ${button(isMuted ? "unmute" : "mute")}
    ${
      isBlocked
        ? button("unblock")
        : html`<${Dialog} title=${t("person.block")} kind="danger">
          <div class="menu">
            <h2>${t("person.blockTitle", { name: isolated(player.name) })}</h2>
            <p>${t("person.blockAbout")}</p>
            <button class="danger" data-act="block" onClick=${block}>${t("person.block")}</button>
            <button class="quiet" onClick=${closeDialog}>${t("person.cancel")}</button>
          </div>
        </${Dialog}>`
    }
    <${Dialog} title=${t("report.title")} kind="danger"><${ReportForm} player=${player} game=${game} /></${Dialog}>
    <${Refusal} error=${task.error} />`;
}

/** What a player can report. */
const ABOUT = ["conduct", "player_name", "play"];

/** @param {{ player: Person, game: string | null }} properties */
function ReportForm({ player, game }) {
  const task = useTask();
  const [about, setAbout] = useState(/** @type {Schemas["ReportRequest"]["about"]} */ ("conduct"));
  const [text, setText] = useState("");
  const [isSent, setSent] = useState(false);
  const send = submitted(() => {
    void task.run(async () => {
      await api("POST", "/v1/reports", { body: { player: player.id, game, about, text } });
      setSent(true);
    });
  });
  return html`<div class="menu">
    <h2>${t("report.of", { name: isolated(player.name) })}</h2>
    ${
      isSent
        ? html`<p role="status">${t("report.sent")} <a href="/people">${t("shell.people")}</a></p>`
        : html`<form class="fields" onSubmit=${send}>
          <label><span>${t("report.about")}</span>
            <${Select} name="about" value=${about} choices=${ABOUT.map((one) => [one, t(`report.about.${one}`)])}
              onChange=${setAbout} /></label>
          <label><span>${t("report.text")}</span>
            <textarea name="text" rows="4" maxlength="500" required dir="auto" value=${text}
              onInput=${valued(setText)}></textarea></label>
          <p><small>${t(game ? "report.withGame" : "report.secret")}</small></p>
          <${Refusal} error=${task.error} />
          <button disabled=${task.busy}>${t("report.send")}</button>
        </form>`
    }
    <button class="quiet" type="button" onClick=${closeDialog}>${t(isSent ? "person.close" : "person.cancel")}</button>
  </div>`;
}
