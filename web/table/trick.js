// The trick in the middle: cards lie as they were thrown, and the complete trick is swept to its winner.

import { cardClass, Face } from "../cards/card.js";
import { cardName } from "../game/cards.js";
import { t } from "../i18n/index.js";
import { html, useRef } from "../view.js";
import { useArrival, useDeparture } from "./motion.js";
import { leanOf, middleOf, restOf } from "./places.js";

/** @typedef {import("../schema").components["schemas"]} Schemas */
/** @typedef {import("./places.js").Point} Point */

/**
 * @typedef {object} Properties
 * @property {import("../show/shown.js").Shown} shown
 * @property {import("./places.js").Places} places
 * @property {Map<number, import("./places.js").Box>} seats
 * @property {number | null} own
 * @property {string[]} names
 */

/** @param {Properties} properties */
export function Trick({ shown, places, seats, own, names }) {
  const { view, step, isSweeping } = shown;
  const { centre, thrown, hand } = places;
  const plays = view?.round?.trick?.plays ?? [];
  const winner = step?.kind === "trick" ? step.seat ?? null : null;
  const middle = (/** @type {number} */ seat) => middleOf(seats.get(seat) ?? { ...centre, width: 0, height: 0 });
  // One's own card comes from the hand, which is in the middle.
  const source = (/** @type {number} */ seat) => (seat === own ? middleOf(hand) : middle(seat));
  const place = { insetInlineStart: `${centre.x}px`, insetBlockStart: `${centre.y}px`, "--card": `${thrown}px` };
  return html`<div class="trick" role="group" aria-label=${t("felt.trick")} data-cards=${plays.length} data-winner=${winner} style=${place}>
    ${plays.map(({ seat, card }) => {
      const rest = restOf(places, source(seat));
      const away = (/** @type {Point} */ { x, y }) => ({ x: x - centre.x - rest.x, y: y - centre.y - rest.y });
      const isArriving = step?.kind === "card" && step.card === card;
      return html`<${Thrown} key=${card} card=${card} rest=${rest} who=${names[seat] ?? ""} isWinner=${seat === winner} isPending=${card === shown.own}
        from=${isArriving ? away(source(seat)) : null} to=${isSweeping && winner !== null ? away(middle(winner)) : null} ms=${step?.ms ?? 0} />`;
    })}
  </div>`;
}

/**
 * @typedef {object} ThrownProperties
 * @property {string} card
 * @property {Point} rest where it lies
 * @property {string} who
 * @property {boolean} isWinner
 * @property {boolean} isPending whether the server has not answered yet
 * @property {Point | null} from
 * @property {Point | null} to
 * @property {number} ms
 */

/** @param {ThrownProperties} properties */
function Thrown({ card, rest, who, isWinner, isPending, from, to, ms }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  useArrival(element, from, ms);
  useDeparture(element, to, ms);
  const place = { insetInlineStart: `${rest.x}px`, insetBlockStart: `${rest.y}px` };
  return html`<span class=${`thrown ${isPending ? "pending" : ""}`} ref=${element} style=${place}>
    <span class=${cardClass(card)} role="img" aria-label=${t("felt.thrownBy", { card: cardName(card), who })} data-state=${isWinner ? "won" : null}
      style=${{ rotate: `${leanOf(card)}deg` }}><${Face} card=${card} /></span>
  </span>`;
}
