// What is around every page: the header, the network's state and the footer.

import { session } from "./api/session.js";
import { here } from "./here.js";
import { loadArea, setLanguage, t, useLanguage } from "./i18n/index.js";
import { Route } from "./router.js";
import { Source } from "./source.js";
import { html, useEffect, useRef, useSource } from "./view.js";

await loadArea("shell");

const LINKS = {
  "/": "shell.home",
  "/lobby": "shell.lobby",
  "/calculator": "shell.calculator",
  "/check": "shell.check",
};

/** Whether the browser has a network, as `navigator.onLine` says. */
const network = new Source();
for (const name of ["online", "offline"]) addEventListener(name, () => network.changed());

export function Shell() {
  const language = useLanguage();
  useSource(session);
  useSource(here);
  useSource(network);
  /** @type {Ref<HTMLElement>} */
  const page = useRef(null);
  const before = useRef(here.path);
  // After a change of page, screen readers and the keyboard begin at the new page.
  useEffect(() => {
    if (before.current !== here.path) page.current?.focus();
    before.current = here.path;
  });
  const other = language === "ar" ? "en" : "ar";
  const failed = html`<p class="notice" role="alert">${t("shell.pageFailed")}</p>`;
  return html`
    <a class="skip" href="#page">${t("shell.skip")}</a>
    <header class="bar">
      <nav aria-label=${t("shell.pages")}>
        ${Object.entries(LINKS).map(
          ([path, key]) =>
            html`<a key=${path} href=${path} class=${path === "/" ? "brand" : ""} aria-current=${here.path === path ? "page" : null}>
            ${path === "/" ? html`<span aria-hidden="true">♠ </span>` : null}${t(key)}</a>`,
        )}
      </nav>
      <div class="bar-end">
        ${here.table && here.table !== here.path && html`<a class="button" href=${here.table}>${t("shell.table")}</a>`}
        ${session.isOpen && html`<a href="/people" aria-current=${here.path === "/people" ? "page" : null}>${t("shell.people")}</a>`}
        ${
          (session.account?.role ?? "player") !== "player" &&
          html`<a href="/desk" aria-current=${here.path.startsWith("/desk") ? "page" : null}>${t("shell.desk")}</a>`
        }
        <a href="/account"><bdi>${session.account?.display_name ?? (session.isOpen ? "…" : t("shell.signIn"))}</bdi></a>
        <button class="quiet" lang=${other} onClick=${() => setLanguage(other)}>${other === "ar" ? "العربية" : "English"}</button>
      </div>
    </header>
    <p class="offline" role="status">${navigator.onLine ? "" : t("shell.offline")}</p>
    <main id="page" tabindex="-1" ref=${page}>
      <${Route} key=${language} path=${here.path} failed=${failed}
        missing=${html`<h1>${t("shell.missing")}</h1><p><a href="/">${t("shell.home")}</a></p>`} />
    </main>
    <footer>
      <a href="/leaderboard">${t("shell.leaderboard")}</a>
      <a href="/rules">${t("shell.rules")}</a>
      <a href="/docs/">${t("shell.api")}</a>
      ${isSecureContext ? null : html`<span>${t("shell.insecure")}</span>`}
    </footer>`;
}
