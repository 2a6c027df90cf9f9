// The player's own cards, fanned at the lower edge.

import { Back, cardClass, Face } from "../cards/card.js";
import { cardName, sorted } from "../game/cards.js";
import { t } from "../i18n/index.js";
import { html, useRef, useState } from "../view.js";
import { fanOf } from "./places.js";

/** @typedef {import("../schema").components["schemas"]} Schemas */
/** @typedef {Schemas["Command"]} Command */

/**
 * @typedef {object} Properties
 * @property {Schemas["Hand"]} hand
 * @property {Schemas["Trump"] | null} trump
 * @property {import("./places.js").Places} places
 * @property {readonly Command[]} legal
 * @property {(command: Command) => void} send
 * @property {(command: Command) => void} onRefused a card that was tried and is not legal
 */

/**
 * All cards can be reached by the arrow keys; the legal ones can be played.
 * @param {Properties} properties
 */
export function Hand({ hand, trump, places, legal, send, onRefused }) {
  const group = useRef(/** @type {HTMLElement | null} */ (null));
  const [focused, setFocused] = useState(0);
  const cards = hand.cards && sorted(hand.cards, trump);
  const fan = fanOf(places, hand.count);
  const { x, y, width, height } = places.hand;
  const box = { insetInlineStart: `${x}px`, insetBlockStart: `${y}px`, inlineSize: `${width}px`, blockSize: `${height}px`, "--card": `${places.card}px` };
  const styleOf = (/** @type {number} */ index) => {
    const place = fan[index] ?? { x: 0, y: 0, angle: 0 };
    return { transform: `translate(${place.x}px, ${place.y}px) rotate(${place.angle}deg)`, "--index": index };
  };
  const rows = places.isStacked ? 2 : 1;
  if (!cards) {
    return html`<div class="hand" dir="ltr" role="group" aria-label=${t("table.hand")} data-rows=${rows} style=${box}>
      ${fan.map((_, index) => html`<span key=${index} class="held" style=${styleOf(index)}><${Back} /></span>`)}
    </div>`;
  }
  const reachable = Math.min(focused, cards.length - 1);
  const move = (/** @type {KeyboardEvent} */ event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -cards.length, End: cards.length };
    const step = steps[/** @type {keyof steps} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(cards.length - 1, reachable + step));
    setFocused(next);
    /** @type {HTMLElement | undefined} */ (group.current?.children[next])?.focus();
  };
  const mustPlay = legal.some(({ type }) => type === "play");
  return html`<div class=${`hand ${mustPlay ? "asked" : ""}`} dir="ltr" role="group" aria-label=${t("table.hand")} ref=${group} onKeyDown=${move} data-rows=${rows}
    style=${box}>
    ${cards.map((card, index) => {
      const play = legal.find((one) => one.type === "play" && one.card === card);
      const tryCard = () => (play ? send(play) : onRefused({ type: "play", card }));
      return html`<button key=${card} class=${`held ${cardClass(card)}`} tabindex=${index === reachable ? 0 : -1} style=${styleOf(index)}
        aria-label=${cardName(card)} aria-disabled=${play ? null : "true"} data-command=${play ? JSON.stringify(play) : null}
        onFocus=${() => setFocused(index)} onClick=${tryCard}><${Face} card=${card} /></button>`;
    })}
  </div>`;
}
