// The player's own cards, fanned at the lower edge.

import { Back, cardClass, Face } from "../cards/card.js";
import { cardName, sorted } from "../game/cards.js";
import { t } from "../i18n/index.js";
import { html, useRef, useState } from "../view.js";
import { boxStyle, fanOf } from "./places.js";

/**
 * All cards can be reached by the arrow keys; the legal ones can be played.
 * @param {import("./play.js").Table & { hand: Schemas["Hand"] }} properties
 */
export function Hand({ hand, shown, view, places, send, onRefused }) {
  /** @type {Ref<HTMLElement>} */
  const group = useRef(null);
  const [focused, setFocused] = useState(0);
  const cards = hand.cards && sorted(hand.cards, view.round?.trump);
  const fan = fanOf(places, hand.count);
  const style = { ...boxStyle(places.hand), "--card": `${places.card}px` };
  const styleOf = (/** @type {number} */ index) => {
    const { x, y, angle } = fan[index] ?? { x: 0, y: 0, angle: 0 };
    return { transform: `translate(${x}px, ${y}px) rotate(${angle}deg)`, "--index": index };
  };
  const last = hand.count - 1;
  const reachable = Math.min(focused, last);
  const move = (/** @type {KeyboardEvent} */ event) => {
    const targets = {
      ArrowRight: Math.min(reachable + 1, last),
      ArrowLeft: Math.max(reachable - 1, 0),
      Home: 0,
      End: last,
    };
    const next = targets[/** @type {keyof targets} */ (event.key)];
    if (next === undefined) return;
    event.preventDefault();
    setFocused(next);
    /** @type {HTMLElement | undefined} */ (group.current?.children[next])?.focus();
  };
  const plays = shown.legal.filter(({ type }) => type === "play");
  return html`<div class=${`hand ${plays.length > 0 ? "asked" : ""}`} dir="ltr" role="group" aria-label=${t("table.hand")}
    data-rows=${places.isStacked ? 2 : 1} style=${style} ref=${group} onKeyDown=${move}>
    ${!cards && fan.map((_, index) => html`<span key=${index} class="held" style=${styleOf(index)}><${Back} /></span>`)}
    ${cards?.map((card, index) => {
      const play = plays.find((one) => one.card === card);
      const tryCard = () => (play ? send(play) : onRefused({ type: "play", card }));
      return html`<button key=${card} class=${`held ${cardClass(card)}`} tabindex=${index === reachable ? 0 : -1} style=${styleOf(index)}
        aria-label=${cardName(card)} aria-disabled=${play ? null : "true"} data-command=${play ? JSON.stringify(play) : null}
        onFocus=${() => setFocused(index)} onClick=${tryCard}><${Face} card=${card} /></button>`;
    })}
  </div>`;
}
