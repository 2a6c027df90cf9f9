// The players around the table and the trick between them.

import { Card } from "../cards/card.js";
import { number, t } from "../i18n/index.js";
import { html } from "../view.js";
import { Clock } from "./clock.js";

/** @typedef {import("../schema").components["schemas"]} Schemas */
/** @typedef {Schemas["GameView"]} GameView */

/**
 * The other seats from left to right. In clockwise play the next player sits on the left.
 * @param {GameView} view
 * @param {number} own the seat at the bottom
 */
function around(view, own) {
  const others = view.seats.map((_, offset) => (own + offset) % view.seats.length).slice(1);
  return view.direction === "clockwise" ? others : others.reverse();
}

/** The number of the position that must act. @param {GameView} view */
export function acting(view) {
  const turn = view.round?.to_act;
  return turn?.seat ?? turn?.place;
}

/** @param {{ view: GameView, own: number | null, pending: Schemas["Command"] | null }} properties `own` is null for those who watch */
export function Seats({ view, own, pending }) {
  const near = own ?? 0;
  const round = view.round;
  const isOpen = (round?.trick?.plays.length ?? 0) > 0 || pending?.type === "play";
  const trick = isOpen ? round?.trick : round?.last_trick;
  const seat = (/** @type {number} */ number) =>
    html`<${Seat} key=${number} view=${view} number=${number} trick=${trick} isOpen=${isOpen}
      pending=${number === own && pending?.type === "play" ? pending.card ?? null : null} />`;
  return html`<div class="felt table" dir="ltr">
    <ul class=${`others count-${view.seats.length - 1}`} aria-label=${t("table.players")}>${around(view, near).map(seat)}</ul>
    <ul class="own" aria-label=${t(own === null ? "table.players" : "table.ownSeat")}>${seat(near)}</ul>
    ${isOpen && round?.last_trick ? html`<${LastTrick} view=${view} trick=${round.last_trick} />` : null}
  </div>`;
}

/** The trick before this one. @param {{ view: GameView, trick: Schemas["Trick"] }} properties */
function LastTrick({ view, trick }) {
  return html`<details class="last-trick"><summary>${t("table.lastTrick")}</summary>
    <ul class="row">${trick.plays.map(({ seat, card }) => html`<li key=${card}><${Card} card=${card} small /> <bdi>${view.seats[seat]?.player?.name}</bdi></li>`)}</ul>
  </details>`;
}

/**
 * A player: name, state, call and tricks, and the card in the trick.
 * @param {{ view: GameView, number: number, trick: Schemas["Trick"] | null | undefined, isOpen: boolean, pending: string | null }} properties
 */
function Seat({ view, number: seat, trick, isOpen, pending }) {
  const { round } = view;
  const { player, connected, stand_in } = /** @type {Schemas["SeatView"]} */ (view.seats[seat]);
  const isTurn = acting(view) === seat && view.status === "playing";
  const played = pending ?? trick?.plays.find((play) => play.seat === seat)?.card;
  const state = stand_in ? "table.standIn" : player?.kind === "human" && !connected ? "table.away" : null;
  return html`<li class=${`seat ${isTurn ? "turn" : ""}`}>
    <div class="plate">
      <strong><bdi>${player?.name ?? t("table.free")}</bdi></strong>
      ${round?.dealer === seat ? html`<span class="badge">${t("table.dealer")}</span>` : null}
      ${isTurn ? html`<span class="badge turn">${t("table.turn")}</span>` : null}
      ${isTurn && round?.deadline ? html`<${Clock} deadline=${round.deadline} />` : null}
      ${state ? html`<span class="badge">${t(state)}</span>` : null}
      <span class="call"><${CallAndTricks} view=${view} seat=${seat} /></span>
      <span class="total">${t("table.total")} ${number(view.scores.totals[seat] ?? 0)}</span>
    </div>
    <div class=${`slot ${isOpen ? "" : "last"} ${pending ? "pending" : ""}`}>${played ? html`<${Card} key=${played} card=${played} />` : null}</div>
  </li>`;
}

/** The call against the tricks taken, and what was said in the auction. @param {{ view: GameView, seat: number }} properties */
function CallAndTricks({ view, seat }) {
  const round = view.round;
  if (!round) return null;
  const call = round.calls.find((one) => one.seat === seat);
  const taken = round.tricks_taken?.[seat];
  if (call) {
    const marks = `${call.with ? ` ${t("table.with")}` : ""}${call.risk ? ` ${t("table.risk")}` : ""}`;
    const name = call.kind === "dash_call" || call.kind === "blind_dash" ? `${t(`table.${call.kind}`)} ` : "";
    const words = taken === undefined ? t("table.said", { call: call.tricks }) : t("table.takenOf", { taken, call: call.tricks });
    return html`${name}<span aria-hidden="true">${taken === undefined ? "" : `${number(taken)} / `}${number(call.tricks)}</span><span class="hidden">${words}</span>${marks}`;
  }
  const said = round.auction.filter((one) => one.seat === seat).at(-1);
  return said ? html`${saying(said)}` : null;
}

/** @param {Schemas["AuctionCall"]} said */
export function saying({ type, tricks, trump }) {
  if (tricks === undefined) return t(`said.${type}`);
  return trump ? t("said.bid", { tricks, trump: t(`trump.${trump}`) }) : number(tricks);
}
