// Components that a page does not need at once.

import { html, useEffect, useState } from "../view.js";

/**
 * A component that is loaded when it is first drawn, and draws nothing until then.
 * @template P
 * @param {() => Promise<(properties: P) => unknown>} load
 * @returns {(properties: P) => unknown}
 */
export function lazy(load) {
  /** @type {((properties: P) => unknown) | null} */
  let loaded = null;
  return function Lazy(properties) {
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
