// The time that is left for a turn.

import { now } from "../api/client.js";
import { number, t } from "../i18n/index.js";
import { html, useEffect, useRedraw } from "../view.js";

/** @param {{ deadline: string }} properties the end of the turn */
export function Clock({ deadline }) {
  const redraw = useRedraw();
  useEffect(() => {
    const timer = setInterval(redraw, 1000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((Date.parse(deadline) - now()) / 1000));
  const words = left >= 3600 ? t("clock.hours", { hours: Math.floor(left / 3600) }) : t("clock.seconds", { seconds: left });
  return html`<span class=${`clock ${left < 10 ? "late" : ""}`} role="timer" aria-label=${words}>${left >= 3600 ? words : `${number(left)}″`}</span>`;
}
