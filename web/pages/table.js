// The table: a game as the player, or somebody who watches, sees it now.

import { session } from "../api/session.js";
import { namesOf, ownSeat } from "../game/seats.js";
import { useGame } from "../game/store.js";
import { isAgainstBots } from "../game/tables.js";
import { loadArea, t } from "../i18n/index.js";
import { Refusal } from "../parts/requests.js";
import { useShown } from "../show/shown.js";
import { useSignals } from "../signals/index.js";
import { useTableSounds } from "../sound/table_sounds.js";
import { Bar } from "../table/bar.js";
import { Play, usePlaces } from "../table/play.js";
import { useAdvice, Why } from "../table/why.js";
import { html, lazy, loadStyle, useEffect, useLayoutEffect, useRef, useSource } from "../view.js";

await loadArea("table");

// What nobody sees at the first glance comes after it.
const GuestGate = lazy(async () => (await import("../parts/page.js")).GuestGate);
const HintButton = lazy(async () => (await import("../table/hint.js")).HintButton);
const Ears = lazy(async () => (await import("../table/ears.js")).Ears);
const Heard = lazy(async () => (await import("../table/talk.js")).Heard);
const Lobby = lazy(async () => (await import("../table/lobby.js")).Lobby);
const PushOffer = lazy(async () => (await import("../parts/told.js")).PushOffer);
const Podium = lazy(async () => (await Promise.all([import("../table/podium.js"), loadStyle("sheet")]))[0].Podium);

/** Turns of which one may sleep through a part, in seconds. */
const LONG_TURN = 3600;

/** @param {{ id: string }} properties */
export default function TablePage({ id }) {
  useSource(session);
  if (!session.isOpen) return html`<h1>${t("table.title")}</h1><${GuestGate} />`;
  return html`<${Loaded} id=${id} />`;
}

/** @param {{ id: string }} properties */
function Loaded({ id }) {
  const game = useGame(id);
  const shown = useShown(game);
  useTableSounds(shown);
  useSignals(game);
  const view = shown.view ?? game.view;
  if (view) return html`<${Table} game=${game} shown=${shown} view=${view} />`;
  if (game.error) return html`<h1>${t("table.title")}</h1><${Refusal} error=${game.error} />`;
  return html`<div class="game loading"><h1 class="hidden">${t("table.title")}</h1><p role="status">${t("shell.loading")}</p></div>`;
}

/** @param {{ game: Game, shown: Shown, view: GameView }} properties */
function Table({ game, shown, view }) {
  /** @type {Ref<HTMLElement>} */
  const region = useRef(null);
  const advice = useAdvice(game);
  useKeptFocus(region);
  const [own, names] = [ownSeat(view), namesOf(view)];
  const places = usePlaces(view, own);
  const send = (/** @type {Command} */ command) => game.send(command);
  const refuse = (/** @type {Command} */ command) => {
    shown.hurry();
    advice.ask(command);
  };
  const buttons = html`<${HintButton} game=${game} advice=${advice} /><${Ears} shown=${shown} />`;
  return html`<div ref=${region} tabindex="-1" class="game" data-status=${view.status} data-version=${view.version}
    data-step=${shown.step?.kind ?? ""}
    onClick=${(/** @type {MouseEvent} */ event) => hurry(event, shown)}>
    <${Bar} game=${game} view=${view} own=${own} names=${names} buttons=${buttons} />
    ${!isAgainstBots(view) && html`<${Heard} game=${game} view=${view} />`}
    <div class="toasts">
      <${Refusal} error=${game.error} />
      ${game.state === "waiting" ? html`<p class="notice" role="status">${t("table.reconnecting")}</p>` : null}
      ${own !== null && (view.turn_seconds ?? 0) > LONG_TURN && html`<${PushOffer} />`}
    </div>
    ${
      view.status === "playing"
        ? html`<${Play} game=${game} shown=${shown} view=${view} places=${places} send=${send} onRefused=${refuse}>
          <${Why} advice=${advice} above=${(places.form === "tall" ? places.own : places.hand).y} /><//>`
        : html`<div class="felt sheet-place">
          ${view.status === "lobby" && html`<${Lobby} game=${game} view=${view} />`}
          ${["finished", "abandoned"].includes(view.status) && html`<${Podium} game=${game} view=${view} />`}
        </div>`
    }
  </div>`;
}

/** A tap on the felt shows all that is waiting. @param {MouseEvent} event @param {Shown} shown */
function hurry({ target }, shown) {
  if (!(target instanceof Element) || target.closest("button, a, dialog, input, summary, .sheet-place")) return;
  if (!shown.isPresent) shown.hurry();
}

/**
 * The focus of a control that goes away moves to a command, to the hand, or to the table. That of the button that closes the result of
 * a round moves to its successor, so that a key that was meant for it sends no command.
 * @param {{ current: HTMLElement | null }} region
 */
function useKeptFocus(region) {
  /** @type {Ref<Element>} */
  const had = useRef(null);
  useEffect(() => {
    const leaving = new AbortController();
    const note = () => (had.current = region.current?.contains(document.activeElement) ? document.activeElement : null);
    document.addEventListener("focusin", note, { signal: leaving.signal });
    document.addEventListener("pointerdown", () => (had.current = null), { signal: leaving.signal });
    return () => leaving.abort();
  }, []);
  useLayoutEffect(() => {
    if (!had.current || document.activeElement !== document.body) return;
    const successors = [
      ...(had.current.matches("[data-continue]") ? ["[data-continue]"] : []),
      "[data-command]",
      ".hand [tabindex='0']",
    ];
    const next = successors.map((selector) => region.current?.querySelector(selector)).find(Boolean) ?? region.current;
    /** @type {HTMLElement | null | undefined} */ (next)?.focus({ preventScroll: true });
  });
}
