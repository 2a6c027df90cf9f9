// The icon of the page in the browser's tab.

const FOLDER = new URL("../", import.meta.url).href;

/** Shows the icon of the game, or the one that calls its player. @param {boolean} isTurn */
export function showIcon(isTurn) {
  const link = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  const href = `${FOLDER}${isTurn ? "icon-turn.svg" : "icon.svg"}`;
  if (link && link.href !== href) link.href = href;
}
