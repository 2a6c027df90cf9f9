// A table before the start: who sits where, and what the host can do.

import { session } from "../api/session.js";
import { sit } from "../game/tables.js";
import { loadArea, number, t } from "../i18n/index.js";
import { Refusal, useTask } from "../parts/requests.js";
import { Share } from "../parts/share.js";
import { here } from "../router.js";
import { html, useSource, useState } from "../view.js";

await loadArea("seats");

const LEVELS = ["easy", "steady", "sharp"];

/** @param {{ game: import("../game/store.js").Game, view: import("../game/store.js").GameView }} properties */
export function Lobby({ game, view }) {
  useSource(session);
  const task = useTask();
  const [level, setLevel] = useState("steady");
  const [isNewCode, setNewCode] = useState(false);
  const isHost = view.host.id === session.account?.id;
  const free = view.seats.flatMap(({ player }, seat) => (player ? [] : [seat]));
  const seatBot = (/** @type {number} */ seat) => game.act("PUT", `seats/${seat}/bot`, { level });
  // Removing a person from a private table makes a new invitation: the removed one has the former.
  const remove = (/** @type {number} */ seat) => task.run(async () => {
    const { player } = view.seats[seat] ?? {};
    if ((await game.act("DELETE", `seats/${seat}`)) && player?.kind === "human" && view.join_code) setNewCode(true);
  });
  const start = () => task.run(async () => {
    for (const seat of free) if (!(await seatBot(seat))) return;
    await game.act("POST", "start");
  });
  const leave = () => task.run(async () => {
    if (await game.act("DELETE", `seats/${view.you?.place ?? view.you?.seat}`)) here.go("/lobby");
  });
  const join = () => task.run(async () => {
    await sit(view.id);
    await game.load();
  });
  return html`<section class="panel">
    <h2>${t("lobby.seats", { taken: view.seats.length - free.length, players: view.seats.length })}</h2>
    <ol class="list">
      ${view.seats.map(({ player }, seat) => html`<li key=${seat} class="row spread">
        <span>${number(seat + 1)}. ${player ? html`<bdi>${player.name}</bdi>` : t("table.free")}</span>
        ${player && isHost && player.id !== view.host.id
          ? html`<button class="quiet" disabled=${task.busy} onClick=${() => remove(seat)}>${t("seats.remove")}<span class="hidden"> ${player.name}</span></button>`
          : null}
        ${!player && isHost
          ? html`<button class="quiet" onClick=${() => seatBot(seat)}>${t("table.seatBot")}<span class="hidden"> ${number(seat + 1)}</span></button>`
          : null}
      </li>`)}
    </ol>
    <${Refusal} error=${task.error} />
    <div class="row">
      ${isHost
        ? html`<button disabled=${task.busy} onClick=${start}>${t(free.length ? "table.fillAndStart" : "table.start")}</button>
            <label class="row">${t("table.level")}
              <select value=${level} onChange=${(/** @type {any} */ event) => setLevel(event.target.value)}>
                ${LEVELS.map((one) => html`<option key=${one} value=${one}>${t(`level.${one}`)}</option>`)}
              </select></label>`
        : null}
      ${isHost ? html`<button class="danger" onClick=${() => game.act("POST", "cancel")}>${t("table.cancel")}</button>` : null}
      ${view.you ? html`<button class="quiet" onClick=${leave}>${t("table.leave")}</button>` : null}
      ${!view.you && free.length > 0 ? html`<button disabled=${task.busy} onClick=${join}>${t("lobby.join")}</button>` : null}
    </div>
    ${view.fairness.opening_until ? html`<p role="status">${t("table.opening")}</p>` : null}
    ${game.isSeedReplaced ? html`<p role="status">${t("table.seedReplaced")}</p>` : null}
    ${view.you && !isHost ? html`<p role="status">${t("table.waitsForHost")}</p>` : null}
    ${isNewCode && view.join_code ? html`<p role="status">${t("seats.newCode")}</p>` : null}
    ${view.join_code
      ? html`<p><${Share} path=${`/join/${view.join_code}`} label=${t("table.invite")} /></p>`
      : html`<p><${Share} path=${`/games/${view.id}`} label=${t("table.invite")} /></p>`}
  </section>`;
}
