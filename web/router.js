// Paths and pages.

import { Source } from "./source.js";
import { html, useEffect, useState } from "./view.js";

/** A page gets the parameters of its path. @typedef {(properties: any) => unknown} Page */

/**
 * Each page is loaded when it is first shown. The server reads these lines.
 * @type {[string, () => Promise<{ default: Page }>][]}
 */
const PAGES = [
  ["/", () => import("./pages/home.js")],
  ["/lobby", () => import("./pages/lobby.js")],
  ["/new", () => import("./pages/new_table.js")],
  ["/join/{code}", () => import("./pages/join.js")],
  ["/leaderboard", () => import("./pages/leaderboard.js")],
  ["/players/{id}", () => import("./pages/player.js")],
  ["/people", () => import("./pages/people.js")],
  ["/account", () => import("./pages/account.js")],
  ["/games/{id}", () => import("./pages/table.js")],
  ["/games/{id}/scores", () => import("./pages/scores.js")],
  ["/games/{id}/replay", () => import("./pages/replay.js")],
  ["/calculator", () => import("./pages/calculator.js")],
  ["/check", () => import("./pages/check.js")],
  ["/rules", () => import("./pages/rules.js")],
  ["/rules/{id}", () => import("./pages/rules.js")],
  ["/rules/{id}/book", () => import("./pages/rule_book.js")],
  ["/learn/{ruleset}", () => import("./pages/learn.js")],
  ["/desk", () => import("./desk/index.js")],
  ["/desk/{section}", () => import("./desk/index.js")],
  ["/desk/{section}/{id}", () => import("./desk/index.js")],
];

class Location extends Source {
  /** The table that this tab showed last. @type {string | null} */ table = null;

  constructor() {
    super();
    addEventListener("popstate", () => this.changed());
    document.addEventListener("click", (event) => this.follow(event));
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

  /** Shows the page of a link without loading the app again. @param {MouseEvent} event */
  follow(event) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.defaultPrevented;
    if (!link || !isPlain || link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
    if (link.hash || !find(link.pathname)) return;
    event.preventDefault();
    this.go(link.pathname + link.search);
  }
}

export const here = new Location();

/** Loads the page of a path that is likely to be the next one. @param {string} path */
export function prepare(path) {
  // A page that cannot be loaded now is loaded when it is shown.
  find(path)
    ?.load()
    .catch(() => {});
}

/** @param {string} path @returns {{ load: () => Promise<{ default: Page }>, parameters: Record<string, string> } | null} */
export function find(path) {
  for (const [pattern, load] of PAGES) {
    const match = new RegExp(`^${pattern.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}/?$`).exec(path);
    if (match) return { load, parameters: { ...match.groups } };
  }
  return null;
}

/**
 * The page of the present path. `missing` is shown for an unknown path, and `failed` if the page cannot be loaded.
 * @param {{ path: string, missing: unknown, failed: unknown }} properties
 */
export function Route({ path, missing, failed }) {
  const [shown, setShown] = useState(/** @type {{ path: string, page: Page | null } | null} */ (null));
  const found = find(path);
  useEffect(() => {
    let isLeft = false;
    const show = (/** @type {Page | null} */ page) => isLeft || setShown({ path, page });
    found?.load().then(
      ({ default: page }) => show(page),
      () => show(null),
    );
    return () => void (isLeft = true);
  }, [path]);
  if (!found) return missing;
  if (shown?.path !== path) return null;
  return shown.page ? html`<${shown.page} key=${path} ...${found.parameters} />` : failed;
}
