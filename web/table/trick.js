// The trick in the middle: cards lie as they were thrown, and the complete trick is swept to its winner.

import { Card } from "../cards/card.js";
import { cardName } from "../game/cards.js";
import { t } from "../i18n/index.js";
import { html, useRef } from "../view.js";
import { useArrival, useDeparture } from "./motion.js";
import { leanOf, middleOf, restOf } from "./places.js";

/** @typedef {import("../schema").components["schemas"]} Schemas */
/** @typedef {import("./places.js").Point} Point */
/** @typedef {import("../show/shown.js").Step} Step */

/** How long one's own card travels, before the server has answered. */
const OWN_MS = 350;

/**
 * The cards that lie, and who takes them. The complete trick stays while it is the step.
 * @param {Schemas["RoundView"] | null | undefined} round @param {Step | null} step
 */
export function lying(round, step) {
  const plays = round?.trick?.plays ?? [];
  if (step?.kind !== "trick") return { plays, winner: null };
  return { plays: plays.length > 0 ? plays : round?.last_trick?.plays ?? [], winner: step.seat ?? null };
}

/**
 * @typedef {object} Properties
 * @property {Schemas["GameView"]} view
 * @property {Step | null} step
 * @property {import("./places.js").Places} places
 * @property {Map<number, import("./places.js").Box>} seats
 * @property {number | null} own
 * @property {string | null} pending one's own card, before the server has answered
 * @property {string[]} names
 */

/** @param {Properties} properties */
export function Trick({ view, step, places, seats, own, pending, names }) {
  const { plays, winner } = lying(view.round, step);
  const isNew = pending !== null && own !== null && plays.every(({ card }) => card !== pending);
  const all = isNew ? [...plays, { seat: own, card: pending }] : plays;
  const { centre, thrown, hand } = places;
  const middle = (/** @type {number} */ seat) => middleOf(seats.get(seat) ?? { ...centre, width: 0, height: 0 });
  const source = (/** @type {number} */ seat) => (seat === own && hand.height > 0 ? middleOf(hand) : middle(seat));
  const style = { insetInlineStart: `${centre.x}px`, insetBlockStart: `${centre.y}px`, "--card": `${thrown}px` };
  return html`<div class="trick" role="group" aria-label=${t("felt.trick")} data-cards=${all.length} data-winner=${winner} style=${style}>
    ${all.map(({ seat, card }) => {
      const rest = restOf(places, middle(seat));
      const away = (/** @type {Point} */ { x, y }) => ({ x: x - centre.x - rest.x, y: y - centre.y - rest.y });
      const isOwn = card === pending;
      const isArriving = isOwn || (step?.kind === "card" && step.card === card);
      return html`<${Thrown} key=${card} card=${card} rest=${rest} name=${t("felt.thrownBy", { card: cardName(card), who: names[seat] ?? "" })}
        state=${`${isOwn ? "pending" : ""} ${winner === seat ? "won" : winner === null ? "" : "beaten"}`}
        from=${isArriving ? away(source(seat)) : null} to=${winner === null ? null : away(middle(winner))}
        ms=${isOwn ? OWN_MS : step?.ms ?? 0} />`;
    })}
  </div>`;
}

/** @param {{ card: string, rest: Point, name: string, state: string, from: Point | null, to: Point | null, ms: number }} properties */
function Thrown({ card, rest, name, state, from, to, ms }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  useArrival(element, from, ms);
  useDeparture(element, to, ms);
  const place = { insetInlineStart: `${rest.x}px`, insetBlockStart: `${rest.y}px` };
  return html`<span class=${`thrown ${state}`} ref=${element} style=${place}>
    <span class="lean" role="img" aria-label=${name} style=${{ transform: `rotate(${leanOf(card)}deg)` }}><${Card} card=${card} isSilent /></span>
  </span>`;
}
