// Invitations of friends to tables, and inviting friends to the own one.

import { api } from "../api/client.js";
import { join, sit } from "../game/tables.js";
import { here } from "../here.js";
import { isolated, loadArea, t, time } from "../i18n/index.js";
import { Refusal, useLoaded, useTask } from "../parts/requests.js";
import { html, useState } from "../view.js";

await loadArea("people");

/** How often the lists are loaded again, in seconds. */
const REFRESH = 10;

/** @typedef {Schemas["ReceivedInvitation"]} ReceivedInvitation */

/** The tables to which friends invite the player; nothing without one. */
export function Invitations() {
  const { data, reload } = useLoaded("/v1/me/invitations", { seconds: REFRESH });
  const task = useTask();
  const items = data?.items ?? [];
  const accept = (/** @type {ReceivedInvitation} */ { game, join_code: code }) =>
    task.run(async () => here.go(`/games/${(await (code ? join(code) : sit(game))).id}`));
  const decline = (/** @type {string} */ id) =>
    task.run(async () => {
      await api("DELETE", "/v1/me/invitations/{id}", { path: { id } });
      reload();
    });
  if (items.length === 0) return null;
  return html`<section class="panel invitations">
    <h2>${t("invite.title")}</h2>
    <${Refusal} error=${task.error} />
    <ul class="list">${items.map(
      (one) => html`<li key=${one.id} class="row spread">
      <span><bdi>${one.from.name}</bdi> · <small>${time(one.created_at)}</small></span>
      <span class="row">
        <button disabled=${task.busy} onClick=${() => accept(one)}>${t("lobby.join")}<span class="hidden">: ${one.from.name}</span></button>
        <button class="quiet" disabled=${task.busy} onClick=${() => decline(one.id)}>
          ${t("person.decline")}<span class="hidden">: ${one.from.name}</span></button>
      </span>
    </li>`,
    )}</ul>
  </section>`;
}

/**
 * Friends who can be invited: those who are online first.
 * @param {Schemas["Friend"][]} friends
 * @param {(string | null | undefined)[]} seated
 */
export const invitable = (friends, seated) =>
  friends
    .filter(({ player }) => !seated.includes(player.id))
    .toSorted((one, other) => Number(other.online ?? false) - Number(one.online ?? false));

/** Invites friends to a table that waits. @param {{ view: GameView }} properties */
export function InviteFriends({ view }) {
  const { data: people, error } = useLoaded("/v1/me/people", { seconds: REFRESH });
  const task = useTask();
  const [invited, setInvited] = useState(/** @type {string[]} */ ([]));
  const friends = invitable(
    people?.friends ?? [],
    view.seats.map(({ player }) => player?.id),
  );
  const invite = (/** @type {string} */ player) =>
    task.run(async () => {
      await api("POST", "/v1/games/{id}/invitations", { path: { id: view.id }, body: { player } });
      setInvited([...invited, player]);
    });
  return html`<details class="invite">
    <summary>${t("invite.friends")}</summary>
    <${Refusal} error=${task.error ?? error} />
    ${people && friends.length === 0 ? html`<p>${t("invite.none")} <a href="/people">${t("shell.people")}</a></p>` : null}
    <ul class="list">${friends.map(
      ({ player, online }) => html`<li key=${player.id} class="row spread">
      <span><bdi>${player.name}</bdi> <${Presence} online=${online} /></span>
      <button class="quiet" disabled=${task.busy || invited.includes(player.id)} onClick=${() => invite(player.id)}>
        ${t(invited.includes(player.id) ? "invite.sent" : "invite.one")}<span class="hidden"> ${isolated(player.name)}</span></button>
    </li>`,
    )}</ul>
  </details>`;
}

/** Whether a friend is online; nothing of those who do not show it. @param {{ online: boolean | null }} properties */
export function Presence({ online }) {
  if (online === null) return null;
  return html`<span class=${`presence ${online ? "online" : ""}`}>${t(online ? "friends.online" : "friends.offline")}</span>`;
}
