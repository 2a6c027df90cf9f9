// Text to copy, and links to pass on.

import { t } from "../i18n/index.js";
import { html, useRef, useState } from "../view.js";

/**
 * Text with a button that copies it. Without https, browsers do not offer the clipboard, but they copy what is selected.
 * @param {{ value: string, label: string, children?: unknown }} properties the children stand after the button
 */
export function Copy({ value, label, children }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    field.current?.select();
    setCopied(document.execCommand("copy"));
  };
  return html`<span class="row share">
    <input ref=${field} readonly value=${value} aria-label=${label} dir="ltr" />
    <button type="button" class="quiet" aria-live="polite" onClick=${copy}>${t(isCopied ? "share.copied" : "share.copy")}</button>
    ${children}
  </span>`;
}

/** A link to copy, and to share where browsers offer that. @param {{ path: string, label: string }} properties */
export function Share({ path, label }) {
  const url = new URL(path, location.href).href;
  return html`<${Copy} value=${url} label=${t("share.link")}>
    ${"share" in navigator &&
    html`<button type="button" class="quiet" onClick=${() => navigator.share({ url }).catch(() => {})}>${label}</button>`}
  </${Copy}>`;
}
