// The view library, which every file of the app imports from here, and the loading of style sheets and components.

import {
  createElement,
  htm,
  render,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef as useReference,
  useState,
} from "./vendor/preact/preact.js";

/** Makes elements from a template: html`<p class=${name}>${text}</p>`. Values are text, never markup. */
export const html = htm.bind(createElement);

export { render, useEffect, useId, useLayoutEffect, useMemo, useState };

/**
 * A reference that begins with null has the type with which it is declared.
 * @type {(<T>(initial: null) => Ref<T>) & (<T>(initial: T) => { current: T })}
 */
export const useRef = useReference;

/**
 * What a form does when it is submitted, instead of leading to another page.
 * @param {(form: HTMLFormElement, button: HTMLElement | null) => unknown} action gets the button that was pressed
 * @returns {(event: any) => void}
 */
export const submitted = (action) => (event) => {
  event.preventDefault();
  action(event.currentTarget, event.submitter);
};

/** What a field does with its value when it changes. @param {(value: any) => unknown} action @returns {(event: any) => void} */
export const valued =
  (action) =>
  ({ target }) =>
    action(target.value);

/** @returns {() => void} a function that renders the calling component again */
export function useRedraw() {
  return useReducer((/** @type {number} */ count) => count + 1, 0)[1].bind(null, undefined);
}

/**
 * Renders the calling component again after each change since it was drawn. Effects run after the browser has painted: an answer
 * that arrives before them changes the source while nobody listens.
 * @param {import("./source.js").Source} source
 */
export function useSource(source) {
  const redraw = useRedraw();
  const drawn = source.changes;
  useEffect(() => {
    if (source.changes !== drawn) redraw();
    return source.subscribe(redraw);
  }, [source]);
}

/**
 * A component that is loaded when it is first drawn, and draws nothing until then.
 * @template {(properties: any) => unknown} Component @param {() => Promise<Component>} load
 */
export function lazy(load) {
  /** @type {Component | null} */
  let loaded = null;
  return function Lazy(/** @type {Parameters<Component>[0]} */ properties) {
    const [component, setComponent] = useState(() => loaded);
    useEffect(() => {
      if (component) return;
      // Another place may have loaded it since this one was drawn. Without a network, the next drawing loads it.
      load().then(
        (found) => {
          loaded = found;
          setComponent(() => found);
        },
        () => {},
      );
    }, []);
    return component ? html`<${component} ...${properties} />` : null;
  };
}

/** The sheets that were asked for. @type {Map<string, Promise<void>>} */
const sheets = new Map();

/**
 * Loads `style/NAME.css`, which a page awaits before it exports anything. The server finds these calls, so that the page of a
 * path has the sheet in its head: the name is written as it stands.
 * @param {string} name
 */
export function loadStyle(name) {
  const sheet = sheets.get(name) ?? addSheet(new URL(`./style/${name}.css`, import.meta.url).href);
  sheets.set(name, sheet);
  return sheet;
}

/** @param {string} href */
async function addSheet(href) {
  const links = /** @type {HTMLLinkElement[]} */ ([...document.querySelectorAll("link[rel=stylesheet]")]);
  if (links.some((link) => link.href === href)) return;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  await new Promise((resolve) => {
    // Without its sheet a page is plain, but it works.
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}
