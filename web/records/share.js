// The link of a page, to copy or to share. Works without https too, where browsers have no clipboard.

import { t } from "../i18n/index.js";
import { html, useRef, useState } from "../view.js";

/** @param {{ title: string }} properties */
export function Share({ title }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    field.current?.select();
    if (navigator.clipboard) await navigator.clipboard.writeText(location.href).catch(() => {});
    else document.execCommand("copy");
    setCopied(true);
  };
  // A closed sheet is no failure.
  const share = () => navigator.share({ title, url: location.href }).catch(() => {});
  return html`<div class="row share">
    <input ref=${field} readonly value=${location.href} aria-label=${t("replay.link")} dir="ltr" />
    <button class="quiet" onClick=${copy}>${t("replay.copy")}</button>
    ${"share" in navigator ? html`<button class="quiet" onClick=${share}>${t("replay.share")}</button>` : null}
    <span role="status">${isCopied ? t("replay.copied") : ""}</span>
  </div>`;
}
