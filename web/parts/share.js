// A link to pass on.

import { t } from "../i18n/index.js";
import { html, useRef, useState } from "../view.js";

/**
 * The link with a button that copies it, and one that shares it. Without https, browsers offer neither sharing nor the
 * clipboard, but they copy what is selected.
 * @param {{ path: string, label: string }} properties
 */
export function Share({ path, label }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [isCopied, setCopied] = useState(false);
  const url = new URL(path, location.href).href;
  const copy = () => {
    field.current?.select();
    setCopied(document.execCommand("copy"));
  };
  return html`<span class="row share">
    <input ref=${field} readonly value=${url} aria-label=${t("share.link")} dir="ltr" />
    <button type="button" class="quiet" aria-live="polite" onClick=${copy}>${t(isCopied ? "share.copied" : "share.copy")}</button>
    ${"share" in navigator
      ? html`<button type="button" class="quiet" onClick=${() => navigator.share({ url }).catch(() => {})}>${label}</button>`
      : null}
  </span>`;
}
