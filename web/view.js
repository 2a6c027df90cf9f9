// The view library. Every file of the app imports it from here.

import { createElement, render } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import htm from "htm";

/** Makes elements from a template: html`<p class=${name}>${text}</p>`. Values are text, never markup. */
export const html = htm.bind(createElement);

export { render, useEffect, useId, useLayoutEffect, useMemo, useRef, useState };

/** @returns {() => void} a function that renders the calling component again */
export function useRedraw() {
  return useReducer((/** @type {number} */ count) => count + 1, 0)[1].bind(null, undefined);
}

/** Renders the calling component again after each change. @param {{ subscribe: (listener: () => void) => () => void }} source */
export function useSource(source) {
  const redraw = useRedraw();
  useEffect(() => source.subscribe(redraw), [source]);
}
