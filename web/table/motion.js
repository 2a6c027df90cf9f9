// Motion that explains: a card travels, a trick is swept. Only `transform` and `opacity` move.

import { useLayoutEffect } from "../view.js";

/** @typedef {import("./places.js").Point} Point */

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {Point} point @param {string} [rest] */
const at = ({ x, y }, rest = "") => `translate(${x}px, ${y}px) ${rest}`;

/**
 * Lets an element come from a point, once.
 * @param {{ current: HTMLElement | null }} element
 * @param {Point | null} from relative to where it lies; null if it lies there already
 * @param {number} ms
 */
export function useArrival(element, from, ms) {
  useLayoutEffect(() => {
    if (!from || ms === 0 || isStill()) return;
    const frames = [{ transform: at(from, "scale(0.7)"), opacity: 0.6 }, { opacity: 1, offset: 0.3 }, { transform: "none", opacity: 1 }];
    element.current?.animate(frames, { duration: ms, easing: "cubic-bezier(0.2, 0.7, 0.2, 1)" });
  }, []);
}

/**
 * Lets an element go to a point.
 * @param {{ current: HTMLElement | null }} element
 * @param {Point | null} to relative to where it lies; null while it stays
 * @param {number} ms
 */
export function useDeparture(element, to, ms) {
  const isGoing = to !== null;
  useLayoutEffect(() => {
    if (!to || ms === 0 || isStill()) return;
    const frames = [{ transform: "none", opacity: 1 }, { transform: at(to, "scale(0.35)"), opacity: 0 }];
    element.current?.animate(frames, { duration: ms, easing: "ease-in", fill: "forwards" });
  }, [isGoing]);
}
