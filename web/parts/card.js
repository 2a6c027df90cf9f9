// A playing card. The suit shows by symbol and name, not by colour alone.

import { cardName, parse, SYMBOLS } from "../game/cards.js";
import { html } from "../view.js";

/** @param {{ card: string, small?: boolean }} properties */
export function Card({ card, small = false }) {
  return html`<span class=${`card suit-${parse(card).suit} ${small ? "small" : ""}`} role="img" aria-label=${cardName(card)}>
    <${Face} card=${card} /></span>`;
}

/** What is printed on a card. The style sheet draws it, because the name of the card says it. @param {{ card: string }} properties */
export function Face({ card }) {
  const { rank, suit } = parse(card);
  return html`<span class="face" data-rank=${suit === "J" ? "Jo" : rank} data-suit=${SYMBOLS[suit]}></span>`;
}
