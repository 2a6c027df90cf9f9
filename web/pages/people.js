// The people of the player: friends, requests, who may find the player, who is blocked, and what was reported.

import { session } from "../api/session.js";
import { isolated, loadArea, t } from "../i18n/index.js";
import { GuestGate, useTitle } from "../parts/page.js";
import { Refusal, useLoaded, useTask } from "../parts/requests.js";
import { Choices, Finder, FriendCode } from "../people/find.js";
import { Invitations, Presence } from "../people/invitations.js";
import { relate, relationOf } from "../people/relate.js";
import { Reports } from "../people/reports.js";
import { Standing } from "../people/standing.js";
import { html, loadStyle, useSource } from "../view.js";

await Promise.all([loadArea("people"), loadStyle("people")]);

/** How often the page asks who is online, in seconds. */
const REFRESH = 15;

/** @typedef {Schemas["Person"]} Person */
/** @typedef {Schemas["PeopleView"]} PeopleView */
/** @typedef {import("../people/relate.js").Act} Act */

/**
 * The lists of the API in the order of the page, with the acts for each line.
 * @type {["received" | "friends" | "sent" | "muted" | "blocked", Act[]][]}
 */
const LISTS = [
  ["received", ["accept", "decline"]],
  ["friends", ["unfriend"]],
  ["sent", ["withdraw"]],
  ["muted", ["unmute"]],
  ["blocked", ["unblock"]],
];

export default function PeoplePage() {
  useSource(session);
  useTitle(t("shell.people"));
  return html`<h1>${t("shell.people")}</h1>${session.isOpen ? html`<${Own} />` : html`<${GuestGate} />`}`;
}

function Own() {
  const { data: people, error, reload } = useLoaded("/v1/me/people", { seconds: REFRESH });
  const task = useTask();
  if (!people)
    return html`<${Refusal} error=${error} />${error ? null : html`<p role="status">${t("shell.loading")}</p>`}`;
  const run = (/** @type {Act} */ act, /** @type {Person} */ { id }, /** @type {string | undefined} */ code) =>
    task.run(async () => {
      await relate(act, id, code);
      reload();
    });
  const buttons = (/** @type {Act[]} */ acts, /** @type {Person} */ player, code = "") =>
    acts.map(
      (act) => html`<button key=${act}
    class=${act === "accept" ? "" : "quiet"} data-act=${act} disabled=${task.busy} onClick=${() => run(act, player, code)}>
    ${t(`person.${act}`)}<span class="hidden"> ${isolated(player.name)}</span></button>`,
    );
  /** Asks for friendship, unless there is one or a request. */
  const ask = (/** @type {Person} */ player, code = "") => {
    const { friendship, isBlocked } = relationOf(people, player.id);
    if (isBlocked) return null;
    if (friendship === "befriend" || friendship === "accept") return buttons([friendship], player, code);
    return html`<span class="badge">${t(friendship === "unfriend" ? "friends.isFriend" : "friends.isAsked")}</span>`;
  };
  const list = (/** @type {typeof LISTS[number]} */ [name, acts]) =>
    (people[name].length > 0 || name === "friends") &&
    html`<section key=${name}
    class="panel" data-list=${name}>
    <h2>${t(`friends.${name}`)}</h2>
    ${people[name].length === 0 ? html`<p>${t("friends.none")}</p>` : null}
    <ul class="list">${people[name].map(
      (one) => html`<li key=${one.player.id} class="row spread">
      <span><a href=${`/players/${one.player.id}`}><bdi>${one.player.name}</bdi></a>${" "}
        ${"online" in one && html`<${Presence} online=${one.online} />`}</span>
      <span class="row">${buttons(acts, one.player)}</span>
    </li>`,
    )}</ul>
  </section>`;
  return html`
    <${Standing} />
    <${Invitations} />
    <${Refusal} error=${task.error ?? error} />
    ${LISTS.slice(0, 3).map(list)}
    <div class="grid">
      <${Finder} end=${ask} />
      <${FriendCode} code=${people.friend_code} reload=${reload} />
      <${Choices} settings=${people.settings} />
      <${Recent} end=${ask} />
      ${LISTS.slice(3).map(list)}
    </div>
    <${Reports} />`;
}

/** The people of the last games. @param {{ end: (player: Person) => unknown }} properties `end` makes the end of a line */
function Recent({ end }) {
  const { data } = useLoaded("/v1/me/recent-players");
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  return html`<section class="panel" data-list="recent">
    <h2>${t("friends.recent")}</h2>
    <ul class="list">${items.map(
      (player) => html`<li key=${player.id} class="row spread">
      <a href=${`/players/${player.id}`}><bdi>${player.name}</bdi></a>${end(player)}</li>`,
    )}</ul>
  </section>`;
}
