// The colours of the suits: four, or two, as the person has chosen.

import { settings } from "../settings.js";

/** Tells style/cards.css the number of colours, now and after each change. */
export function followSuits() {
  const show = () => void (document.documentElement.dataset.suits = settings.get("suits"));
  settings.subscribe(show);
  show();
}
