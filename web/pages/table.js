// The table: a game as the player, or somebody who watches, sees it now.

import { session } from "../api/session.js";
import { useGame } from "../game/store.js";
import { loadArea, t } from "../i18n/index.js";
import { Card } from "../parts/card.js";
import { GuestGate } from "../parts/guest_gate.js";
import { Refusal } from "../parts/refusal.js";
import { here } from "../router.js";
import { useSignals } from "../signals/index.js";
import { loadStyle } from "../styles.js";
import { Calls } from "../table/calls.js";
import { Hand } from "../table/hand.js";
import { Lobby } from "../table/lobby.js";
import { Log } from "../table/log.js";
import { Podium } from "../table/podium.js";
import { acting, Seats } from "../table/seats.js";
import { html, useEffect, useRef, useSource } from "../view.js";

await Promise.all([loadArea("table"), loadStyle("table")]);

/** @typedef {import("../game/store.js").GameView} GameView */

/** @param {{ parameters: Record<string, string> }} properties */
export default function TablePage({ parameters }) {
  useSource(session);
  if (!session.isOpen) return html`<h1>${t("table.title")}</h1><${GuestGate} />`;
  return html`<${Table} id=${parameters.id ?? ""} />`;
}

/** @param {{ id: string }} properties */
function Table({ id }) {
  const game = useGame(id);
  const region = useRef(/** @type {HTMLElement | null} */ (null));
  const { view, pending } = game;
  useKeptFocus(region);
  useSignals(game);
  if (!view) return html`<h1>${t("table.title")}</h1><${Refusal} error=${game.error} />${game.error ? null : html`<p role="status">${t("table.loading")}</p>`}`;
  const own = view.you?.seat ?? view.you?.place ?? null;
  // Isolated, so that Arabic and Latin names do not turn a line around.
  const names = view.seats.map(({ player }) => `\u2068${player?.name ?? t("table.free")}\u2069`);
  const send = (/** @type {import("../game/store.js").Command} */ command) => game.send(command);
  const legal = pending ? [] : view.legal;
  const calls = legal.filter((command) => command.type !== "play");
  const hand = own === null ? null : view.round?.hands[own]?.cards;
  return html`<div ref=${region} tabindex="-1" class="game" data-status=${view.status} data-version=${view.version}>
    <h1>${view.ruleset.title}</h1>
    <${Refusal} error=${game.error} />
    ${game.state === "waiting" ? html`<p class="notice" role="status">${t("table.reconnecting")}</p>` : null}
    ${view.status === "lobby" ? html`<${Lobby} game=${game} view=${view} />` : null}
    ${view.status === "finished" || view.status === "abandoned" ? html`<${Podium} game=${game} view=${view} />` : null}
    ${view.status === "playing"
      ? html`<${RoundLine} view=${view} />
          <${Seats} view=${view} own=${own} pending=${pending} />
          <p class="turn-line" role="status">${turnWords(view, own, names)}</p>
          ${calls.length > 0 ? html`<${Calls} commands=${calls} send=${send} />` : null}
          ${hand ? html`<${Hand} cards=${hand} legal=${legal} pending=${pending?.type === "play" ? pending.card ?? null : null} send=${send} />` : null}`
      : null}
    ${view.status === "lobby" ? null : html`<${Log} events=${game.events} until=${view.version} names=${names} />`}
    ${view.status === "playing"
      ? html`<div class="row">
          <a class="button quiet" href=${`/games/${view.id}/scores`}>${t("table.scores")}</a>
          ${own === null ? null : html`<${Leave} game=${game} own=${own} />`}
        </div>`
      : null}
  </div>`;
}

/** Round, trump and the turned card. @param {{ view: GameView }} properties */
function RoundLine({ view: { round } }) {
  if (!round) return null;
  return html`<p class="row round-line">
    <span>${round.number > 0 ? t("table.round", { number: round.number, of: round.of }) : t("table.beforeRounds")}</span>
    ${round.trump ? html`<strong>${t("table.trump")}: ${t(`trump.${round.trump}`)}</strong>` : null}
    ${round.indicator ? html`<${Card} card=${round.indicator} small />` : null}
    ${round.multiplier > 1 ? html`<span class="badge">×${round.multiplier}</span>` : null}
  </p>`;
}

/** @param {GameView} view @param {number | null} own @param {string[]} names */
function turnWords(view, own, names) {
  const seat = acting(view);
  if (seat === undefined) return "";
  if (seat !== own) return t("table.waiting", { who: names[seat] ?? "" });
  return t(`table.your.${view.round?.phase}`);
}

/** Giving up the seat, after a question. @param {{ game: import("../game/store.js").Game, own: number }} properties */
function Leave({ game, own }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const leave = async () => {
    dialog.current?.close();
    if (await game.act("DELETE", `seats/${own}`)) here.go("/");
  };
  return html`<button class="quiet" onClick=${() => dialog.current?.showModal()}>${t("table.forfeit")}</button>
    <dialog ref=${dialog} aria-label=${t("table.forfeit")}>
      <p>${t("table.forfeitAbout")}</p>
      <div class="row"><button class="danger" onClick=${leave}>${t("table.forfeit")}</button>
        <button class="quiet" onClick=${() => dialog.current?.close()}>${t("table.stay")}</button></div>
    </dialog>`;
}

/**
 * When a control with the focus goes away, the focus moves to a command, to the hand, or to the table.
 * @param {{ current: HTMLElement | null }} region
 */
function useKeptFocus(region) {
  const had = useRef(false);
  useEffect(() => {
    const note = () => (had.current = region.current?.contains(document.activeElement) ?? false);
    const forget = () => (had.current = false);
    document.addEventListener("focusin", note);
    document.addEventListener("pointerdown", forget);
    return () => {
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerdown", forget);
    };
  }, []);
  useEffect(() => {
    if (!had.current || document.activeElement !== document.body) return;
    const next = region.current?.querySelector("[data-command]") ?? region.current?.querySelector(".hand [tabindex='0']") ?? region.current;
    /** @type {HTMLElement | null | undefined} */ (next)?.focus();
  });
}
