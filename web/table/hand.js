// The player's own cards.

import { sorted, cardName, parse } from "../game/cards.js";
import { t } from "../i18n/index.js";
import { Face } from "../parts/card.js";
import { html, useRef, useState } from "../view.js";

/** @typedef {import("../schema").components["schemas"]["Command"]} Command */

/**
 * All cards can be reached by the arrow keys; the legal ones can be played.
 * @param {{ cards: readonly string[], legal: readonly Command[], pending: string | null, send: (command: Command) => void, onRefused: (command: Command) => void }} properties
 */
export function Hand({ cards, legal, pending, send, onRefused }) {
  const group = useRef(/** @type {HTMLElement | null} */ (null));
  const [focused, setFocused] = useState(0);
  const hand = sorted(cards).filter((card) => card !== pending);
  const command = (/** @type {string} */ card) => legal.find((one) => one.type === "play" && one.card === card);
  const reachable = Math.min(focused, hand.length - 1);
  const move = (/** @type {KeyboardEvent} */ event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -hand.length, End: hand.length };
    const step = steps[/** @type {keyof steps} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(hand.length - 1, reachable + step));
    setFocused(next);
    /** @type {HTMLElement | undefined} */ (group.current?.children[next])?.focus();
  };
  return html`<div class="hand" dir="ltr" role="group" aria-label=${t("table.hand")} ref=${group} onKeyDown=${move}>
    ${hand.map((card, index) => {
      const play = command(card);
      return html`<button key=${card} class=${`card suit-${parse(card).suit}`} tabindex=${index === reachable ? 0 : -1}
        aria-label=${cardName(card)} aria-disabled=${play ? null : "true"} data-command=${play ? JSON.stringify(play) : null}
        onFocus=${() => setFocused(index)} onClick=${() => (play ? send(play) : onRefused({ type: "play", card }))}><${Face} card=${card} /></button>`;
    })}
  </div>`;
}
