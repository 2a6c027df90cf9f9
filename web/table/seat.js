// A player at the table: picture, name, backs, call against tricks, total, and what the player says.

import { acting } from "../game/seats.js";
import { isAgainstBots } from "../game/tables.js";
import { number, t } from "../i18n/index.js";
import { Word } from "../learn/word.js";
import { Picture } from "../people/picture.js";
import { AUCTION } from "../show/steps.js";
import { html, lazy, useMemo } from "../view.js";
import { Clock, Ring } from "./clock.js";
import { boxStyle } from "./places.js";
import { bidText, standingOf, tokenOf } from "./token.js";

// Nobody needs them to play.
const PersonMenu = lazy(async () => (await import("./person.js")).PersonMenu);
const Said = lazy(async () => (await import("./talk.js")).Said);
const Say = lazy(async () => (await import("./talk.js")).Say);

/** What a player says before an auction. @type {Record<string, string>} */
const SAYINGS = { avoid_declared: "command.avoid", redeal_called: "command.redeal" };

/**
 * @typedef {{ seat: number, box: import("./places.js").Box, side: "start" | "end", isOwn: boolean }} Place `side`:
 *     where the backs lie
 */

/** @param {import("./play.js").Table & Place} properties */
export function Seat({ view, shown: { step, legal }, game, seat, box, side, isOwn }) {
  const { round } = view;
  const { player, connected, stand_in } = /** @type {Schemas["SeatView"]} */ (view.seats[seat]);
  const isTurn = view.status === "playing" && acting(view) === seat;
  const isBot = player?.kind === "bot";
  const state = stand_in ? "table.standIn" : !isBot && player && !connected && !isOwn ? "table.away" : null;
  const name = player?.name ?? t("table.free");
  const said = step?.kind === "say" && step.seat === seat && step.event && saying(step.event);
  return html`<li class=${`seat ${isOwn ? "own" : ""} ${isTurn ? "turn" : ""}`} data-seat=${seat} data-side=${side} style=${boxStyle(box)}>
    <span class="portrait">
      <${Picture} name=${name} kind=${player?.kind ?? "human"} />
      ${isTurn && html`<${Ring} deadline=${round?.deadline} seconds=${view.turn_seconds} />`}
      ${round?.dealer === seat && html`<span class="dealer" role="img" aria-label=${t("table.dealer")}>${t("felt.dealer")}</span>`}
      ${game && html`<${SeatButton} game=${game} view=${view} seat=${seat} isOwn=${isOwn} isTurn=${legal.length > 0} />`}
    </span>
    <strong class="name"><bdi>${isOwn ? t("felt.you") : name}</bdi>${isBot && html`<span class="hidden">, ${t("felt.bot")}</span>`}</strong>
    ${isTurn && html`<span class="hidden">${t("table.turn")}</span>`}
    <span class="call"><${Token} view=${view} seat=${seat} /></span>
    <span class="total">
      <span class="hidden">${t("table.total")} </span>${number(view.scores.totals[seat] ?? 0)}
      ${isTurn && round?.deadline && html` <${Clock} deadline=${round.deadline} />`}
      ${state && html` <span class="state">${t(state)}</span>`}
    </span>
    ${!isOwn && html`<${Fan} count=${round?.hands[seat]?.count ?? 0} />`}
    ${said && html`<span class="speech" aria-hidden="true">${said}</span>`}
    ${!said && game && !isAgainstBots(view) && html`<${Said} game=${game} seat=${seat} />`}
  </li>`;
}

/**
 * What a person's picture opens: reactions on the own seat, the menu on others. It closes on the player's turn: it may lie over the calls.
 * @param {{ game: Game, view: GameView, seat: number, isOwn: boolean, isTurn?: boolean }} properties
 */
export function SeatButton({ game, view, seat, isOwn, isTurn = false }) {
  const { id = null, name = "" } = view.seats[seat]?.player ?? {};
  // Bots have nothing to say, and hear nothing.
  if (isOwn) return view.talk && !isAgainstBots(view) && html`<${Say} game=${game} isTurn=${isTurn} />`;
  return id !== null && html`<${PersonMenu} key=${id} player=${{ id, name }} game=${view.id} isTurn=${isTurn} />`;
}

/** The call, its marks, and a dot for each trick. @param {{ view: GameView, seat: number }} properties */
function Token({ view, seat }) {
  const token = tokenOf(view, seat);
  if (token === null) return null;
  const standing = standingOf(view, seat);
  // Who was outbid has not called yet.
  const isPast = view.round?.phase === "estimates";
  if (!standing) return html`<span class=${`token ${isPast ? "past" : ""}`}>${token}</span>`;
  const {
    call: { tricks: call, with: isWith, risk },
    taken,
    chance,
  } = standing;
  const isPlay = taken !== null;
  const prospect = t(`felt.${chance === "met" ? "made" : chance}`);
  const words = isPlay ? `${t("table.takenOf", { taken, call })}, ${prospect}` : t("table.said", { call });
  return html`<span class=${`token ${isPlay ? chance : ""}`} aria-hidden="true">${token}</span>
    ${isWith && html`<${Word} word="with">${t("table.with")}</${Word}>`}
    ${risk && html`<${Word} word="risk">${t("table.risk")}</${Word}>`}
    ${isPlay && html`<${Dots} call=${call} taken=${taken} />`}
    <span class="hidden">${words}</span>`;
}

/**
 * Full: a promised trick; open: one that is missing; square: one too many.
 * @param {{ call: number, taken: number }} properties
 */
function Dots({ call, taken }) {
  const count = Math.max(call, taken);
  const kind = (/** @type {number} */ index) => (index >= call ? "over" : index < taken ? "full" : "");
  return html`<span class=${`dots ${count > 6 ? "many" : count > 4 ? "some" : ""}`}
    style=${{ "--half": Math.ceil(count / 2) }} aria-hidden="true">
    ${Array.from({ length: count }, (_, index) => html`<i key=${index} class=${kind(index)}></i>`)}
  </span>`;
}

/** The backs of a hand that is not one's own. @param {{ count: number }} properties */
function Fan({ count }) {
  const words = count < 2 ? t(`felt.cards.${count}`) : t("felt.cards", { count });
  const middle = (count - 1) / 2;
  return useMemo(
    () => html`<span class="fan" role="img" aria-label=${words} style=${{ "--count": count }}>
    ${Array.from({ length: count }, (_, index) => html`<i key=${index} style=${{ "--index": index, "--away": index - middle }}></i>`)}
  </span>`,
    [words],
  );
}

/** @param {Schemas["Event"]} event */
function saying({ type, tricks, trump }) {
  if (tricks !== undefined && tricks !== null) return bidText(tricks, trump);
  const key = AUCTION[type] ? `said.${AUCTION[type]}` : SAYINGS[type];
  return key && t(key);
}
