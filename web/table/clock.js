// The ring of light around who must act, and the time that runs along it.

import { now } from "../api/client.js";
import { number, t } from "../i18n/index.js";
import { html, useEffect, useRedraw } from "../view.js";

const LATE_S = 10;
const HOUR_S = 3600;

/** A circle of this length has a radius of 47 in the ring's box. */
const LENGTH = 2 * Math.PI * 47;

/**
 * It is whole without a clock.
 * @param {{ deadline?: string, seconds: number | null }} properties `seconds`: the time of a whole turn
 */
export function Ring({ deadline, seconds }) {
  const left = useLeft(deadline);
  const share = seconds ? Math.min(1, left / seconds) : 1;
  return html`<svg class=${`ring ${left < LATE_S ? "late" : ""}`} viewBox="0 0 100 100" aria-hidden="true">
    <circle cx="50" cy="50" r="47" stroke-dasharray=${LENGTH} stroke-dashoffset=${LENGTH * (1 - share)} />
  </svg>`;
}

/** @param {{ deadline: string }} properties */
export function Clock({ deadline }) {
  const left = useLeft(deadline);
  const words =
    left >= HOUR_S ? t("clock.hours", { hours: Math.floor(left / HOUR_S) }) : t("clock.seconds", { seconds: left });
  const minutes = `${number(Math.floor(left / 60))}:${number(left % 60, 2)}`;
  return html`<span class=${`clock ${left < LATE_S ? "late" : ""}`} role="timer"
    aria-label=${words}>${left >= HOUR_S ? words : minutes}</span>`;
}

/** The seconds to a time, or as many as there are without a time. @param {string | undefined} deadline */
export const secondsTo = (deadline) =>
  deadline ? Math.max(0, Math.ceil((Date.parse(deadline) - now()) / 1000)) : Infinity;

/** The seconds to a time, counted down. @param {string | undefined} deadline */
function useLeft(deadline) {
  const redraw = useRedraw();
  useEffect(() => {
    if (!deadline) return;
    const timer = setInterval(redraw, 1000);
    return () => clearInterval(timer);
  }, [deadline]);
  return secondsTo(deadline);
}
