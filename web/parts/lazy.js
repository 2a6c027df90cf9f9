// Components that a page does not need at once.

import { html, useEffect, useState } from "../view.js";

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
      if (loaded) return;
      // Without a network, the next drawing loads it.
      load().then((found) => {
        loaded = found;
        setComponent(() => found);
      }, () => {});
    }, []);
    return component ? html`<${component} ...${properties} />` : null;
  };
}
