// The style sheets of pages.

const FOLDER = new URL("./style/", import.meta.url).href;

/** The sheets that were asked for. @type {Map<string, Promise<void>>} */
const sheets = new Map();

/**
 * Loads `style/NAME.css`, which a page awaits before it exports anything. The server finds these calls, so that the page of a
 * path has the sheet in its head: the name is written as it stands.
 * @param {string} name
 */
export function loadStyle(name) {
  const sheet = sheets.get(name) ?? load(`${FOLDER}${name}.css`);
  sheets.set(name, sheet);
  return sheet;
}

/** @param {string} href */
async function load(href) {
  const links = /** @type {HTMLLinkElement[]} */ ([...document.querySelectorAll("link[rel=stylesheet]")]);
  if (links.some((link) => link.href === href)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  await new Promise((resolve) => {
    // Without its sheet a page is plain, but it works.
    link.addEventListener("load", resolve);
    link.addEventListener("error", resolve);
    document.head.append(link);
  });
}
