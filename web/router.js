// Paths and pages.

import { here } from "./here.js";
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

/** Shows the page of a link without loading the app again. @param {MouseEvent} event */
function follow(event) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.defaultPrevented;
  if (!link || !isPlain || link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  if (link.hash || !find(link.pathname)) return;
  event.preventDefault();
  here.go(link.pathname + link.search);
}

document.addEventListener("click", follow);

/** @param {string} path @returns {{ load: () => Promise<{ default: Page }>, parameters: Record<string, string> } | null} */
function find(path) {
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
