// The trick in the middle: cards lie as they were thrown, and the complete trick is swept to its winner.

import { cardClass, Face } from "../cards/card.js";
import { cardName } from "../game/cards.js";
import { namesOf } from "../game/seats.js";
import { t } from "../i18n/index.js";
import { html, useLayoutEffect, useRef } from "../view.js";
import { leanOf, middleOf, pointStyle, restOf } from "./places.js";

/** @typedef {import("./places.js").Point} Point */
/** @typedef {import("./play.js").Table} Table */

/** @param {Table & { seats: Map<number, import("./places.js").Box>, own: number | null }} properties */
export function Trick({ shown, view, places, seats, own }) {
  const { step, isSweeping } = shown;
  const { centre, thrown, hand } = places;
  const plays = view.round?.trick?.plays ?? [];
  const names = namesOf(view);
  const winner = step?.kind === "trick" ? (step.seat ?? null) : null;
  const middle = (/** @type {number} */ seat) => middleOf(seats.get(seat) ?? { ...centre, width: 0, height: 0 });
  // One's own card comes from the hand, which is in the middle.
  const source = (/** @type {number} */ seat) => (seat === own ? middleOf(hand) : middle(seat));
  const style = { ...pointStyle(centre), "--card": `${thrown}px` };
  return html`<div class="trick" role="group" aria-label=${t("felt.trick")} data-cards=${plays.length} data-winner=${winner} style=${style}>
    ${plays.map(({ seat, card }) => {
      const rest = restOf(places, source(seat));
      const away = (/** @type {Point} */ { x, y }) => ({ x: x - centre.x - rest.x, y: y - centre.y - rest.y });
      const from = step?.kind === "card" && step.card === card ? away(source(seat)) : null;
      const to = isSweeping && winner !== null ? away(middle(winner)) : null;
      return html`<${Thrown} key=${card} card=${card} rest=${rest} from=${from} to=${to} ms=${step?.ms ?? 0}
        who=${names[seat] ?? ""} isWinner=${seat === winner} isPending=${card === shown.own} />`;
    })}
  </div>`;
}

/**
 * @typedef {{ rest: Point, from: Point | null, to: Point | null, ms: number }} Motion where it lies, and from and to
 *     where it moves
 */

/**
 * `isPending`: until the server answers.
 * @param {Motion & { card: string, who: string, isWinner: boolean, isPending: boolean }} properties
 */
function Thrown({ card, rest, from, to, ms, who, isWinner, isPending }) {
  /** @type {Ref<HTMLElement>} */
  const element = useRef(null);
  // Only `transform` and `opacity` move.
  const move = (/** @type {Keyframe[]} */ frames, /** @type {string} */ easing) => {
    if (ms === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    element.current?.animate(frames, { duration: ms, easing, fill: to ? "forwards" : "none" });
  };
  const lying = { transform: "none", opacity: 1 };
  useLayoutEffect(() => {
    if (!from) return;
    move(
      [{ transform: translation(from, 0.7), opacity: 0.6 }, { opacity: 1, offset: 0.3 }, lying],
      "cubic-bezier(0.2, 0.7, 0.2, 1)",
    );
  }, []);
  useLayoutEffect(() => {
    if (to) move([lying, { transform: translation(to, 0.35), opacity: 0 }], "ease-in");
  }, [to !== null]);
  return html`<span class=${`thrown ${isPending ? "pending" : ""}`} ref=${element} style=${pointStyle(rest)}>
    <span class=${cardClass(card)} role="img" aria-label=${t("felt.thrownBy", { card: cardName(card), who })}
      data-state=${isWinner ? "won" : null}
      style=${{ rotate: `${leanOf(card)}deg` }}><${Face} card=${card} /></span>
  </span>`;
}

/** @param {Point} point @param {number} size */
const translation = ({ x, y }, size) => `translate(${x}px, ${y}px) scale(${size})`;
