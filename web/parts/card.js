// A playing card. The suit shows by symbol and name, not by colour alone.

import { cardName, parse, SYMBOLS } from "../game/cards.js";
import { html } from "../view.js";

/**
 * @param {{ card: string, small?: boolean }} properties
 */
export function Card({ card, small = false }) {
  return html`<span class=${`card suit-${parse(card).suit} ${small ? "small" : ""}`} role="img" aria-label=${cardName(card)}>
    <${Face} card=${card} /></span>`;
}

/** What is printed on a card. @param {{ card: string }} properties */
export function Face({ card }) {
  const { rank, suit } = parse(card);
  return html`<span aria-hidden="true" dir="ltr"><b>${suit === "J" ? "Jo" : rank}</b><i>${SYMBOLS[suit]}</i></span>`;
}
