// The path that the page shows, and the way to another one.

import { Source } from "./source.js";

class Location extends Source {
  /** The table that this tab showed last. @type {string | null} */ table = null;

  constructor() {
    super();
    addEventListener("popstate", () => this.changed());
    this.changed();
  }

  get path() {
    return location.pathname;
  }

  /** Remembers the table that the player leaves. */
  changed() {
    if (/^\/games\/[^/]+$/.test(this.path)) this.table = this.path;
    super.changed();
  }

  /** Shows another page. @param {string} path */
  go(path) {
    history.pushState(null, "", path);
    scrollTo(0, 0);
    this.changed();
  }
}

export const here = new Location();
