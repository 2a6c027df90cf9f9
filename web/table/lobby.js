// A table before the start: who sits where, and what the host can do.

import { api } from "../api/client.js";
import { session } from "../api/session.js";
import { ownSeat } from "../game/seats.js";
import { sit } from "../game/tables.js";
import { here } from "../here.js";
import { loadArea, number, t } from "../i18n/index.js";
import { Refusal, useTask } from "../parts/requests.js";
import { Share } from "../parts/share.js";
import { html, lazy, useSource, useState, valued } from "../view.js";
import { SeatButton } from "./seat.js";

await loadArea("lobby");

const InviteFriends = lazy(async () => (await import("../people/invitations.js")).InviteFriends);
const Said = lazy(async () => (await import("./talk.js")).Said);

const LEVELS = ["easy", "steady", "sharp"];

/** @param {{ game: Game, view: GameView }} properties */
export function Lobby({ game, view }) {
  useSource(session);
  const task = useTask();
  const [level, setLevel] = useState(/** @type {Schemas["KnownBotLevel"]} */ ("steady"));
  const [isNewCode, setNewCode] = useState(false);
  const { seats, host, you, join_code: code } = view;
  const isHost = host.id === session.account?.id;
  const free = seats.flatMap(({ player }, seat) => (player ? [] : [seat]));
  const seatBot = (/** @type {number} */ seat) =>
    game.act((path) => api("PUT", "/v1/games/{id}/seats/{seat}/bot", { path: { ...path, seat }, body: { level } }));
  // Removing a person from a private table makes a new invitation: the removed one has the former.
  const remove = (/** @type {number} */ seat) =>
    task.run(async () => {
      const { player } = seats[seat] ?? {};
      if ((await game.leave(seat)) && player?.kind === "human" && code) setNewCode(true);
    });
  const start = () =>
    task.run(async () => {
      for (const seat of free) if (!(await seatBot(seat))) return;
      await game.act((path) => api("POST", "/v1/games/{id}/start", { path, once: true }));
    });
  const cancel = () => game.act((path) => api("POST", "/v1/games/{id}/cancel", { path, once: true }));
  const leave = () =>
    task.run(async () => {
      if (await game.leave(ownSeat(view))) here.go("/lobby");
    });
  const join = () =>
    task.run(async () => {
      await sit(view.id);
      await game.load();
    });
  const news = {
    "table.opening": view.fairness.opening_until,
    "table.seedReplaced": game.isSeedReplaced,
    "table.waitsForHost": you && !isHost,
    "seats.newCode": isNewCode && code,
  };
  return html`<section class="panel">
    <h2>${t("lobby.seats", { taken: seats.length - free.length, players: seats.length })}</h2>
    <ol class="list">
      ${seats.map(
        ({ player }, seat) => html`<li key=${seat} class="row spread">
        <span class="row">${number(seat + 1)}. ${player ? html`<bdi>${player.name}</bdi>` : t("table.free")}
          <${SeatButton} game=${game} view=${view} seat=${seat} isOwn=${seat === ownSeat(view)} />
          <${Said} game=${game} seat=${seat} /></span>
        ${
          isHost &&
          player &&
          player.id !== host.id &&
          html`<button class="quiet" disabled=${task.busy} onClick=${() => remove(seat)}>
          ${t("seats.remove")}<span class="hidden"> ${player.name}</span></button>`
        }
        ${
          isHost &&
          !player &&
          html`<button class="quiet" onClick=${() => seatBot(seat)}>
          ${t("table.seatBot")}<span class="hidden"> ${number(seat + 1)}</span></button>`
        }
      </li>`,
      )}
    </ol>
    <${Refusal} error=${task.error} />
    <div class="row">
      ${
        isHost &&
        html`<button disabled=${task.busy} onClick=${start}>${t(free.length ? "table.fillAndStart" : "table.start")}</button>
        <label class="row">${t("table.level")}
          <select value=${level} onChange=${valued(setLevel)}>
            ${LEVELS.map((one) => html`<option key=${one} value=${one}>${t(`level.${one}`)}</option>`)}
          </select></label>
        <button class="danger" onClick=${cancel}>${t("table.cancel")}</button>`
      }
      ${you && html`<button class="quiet" onClick=${leave}>${t("table.leave")}</button>`}
      ${!you && free.length > 0 && html`<button disabled=${task.busy} onClick=${join}>${t("lobby.join")}</button>`}
    </div>
    ${Object.entries(news).map(([key, isTrue]) => isTrue && html`<p key=${key} role="status">${t(key)}</p>`)}
    <p><${Share} path=${code ? `/join/${code}` : `/games/${view.id}`} label=${t("table.invite")} /></p>
    ${you && free.length > 0 && html`<${InviteFriends} view=${view} />`}
  </section>`;
}
