// Text to copy, links to pass on, and files to save.

import { t } from "../i18n/index.js";
import { html, useEffect, useRef, useState } from "../view.js";

/**
 * Text with a button that copies it. Without https, browsers do not offer the clipboard, but they copy what is selected.
 * @param {{ value: string, label: string, children?: unknown }} properties the children stand after the button
 */
export function Copy({ value, label, children }) {
  /** @type {Ref<HTMLInputElement>} */
  const field = useRef(null);
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

/**
 * A button that copies something; nothing without https, where browsers do not offer the clipboard.
 * @param {{ text: string }} properties
 */
export function CopyButton({ text }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true));
  return navigator.clipboard
    ? html`<button type="button" class="quiet" aria-live="polite" onClick=${copy}>${t(isCopied ? "share.copied" : "share.copy")}</button>`
    : null;
}

/** Saves a file. @param {string} name @param {unknown} content a text, or an object, which becomes JSON */
export function saveFile(name, content) {
  const href = URL.createObjectURL(new Blob([typeof content === "string" ? content : JSON.stringify(content)]));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  URL.revokeObjectURL(href);
}

/** A link to copy, and to share where browsers offer that. @param {{ path: string, label: string }} properties */
export function Share({ path, label }) {
  const url = new URL(path, location.href).href;
  return html`<${Copy} value=${url} label=${t("share.link")}>
    ${
      "share" in navigator &&
      html`<button type="button" class="quiet" onClick=${() => navigator.share({ url }).catch(() => {})}>${label}</button>`
    }
  </${Copy}>`;
}

/**
 * Saves the bundle of a game, with the command that verifies it elsewhere, or a history alone.
 * @param {{ id: string, text: string, isBundle: boolean }} properties
 */
export function Save({ id, text, isBundle }) {
  const name = isBundle ? `estimation-${id}.json` : `${id}.ndjson`;
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text]));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [text]);
  return html`<div class="row">
      <a class=${isBundle ? "button" : "button quiet"} href=${url} download=${name}>${t(isBundle ? "save.bundle" : "replay.download")}</a>
      ${isBundle ? html`<${Copy} value=${`estimation-audit verify ${name}`} label=${t("save.command")} />` : null}
    </div>
    <p><small>${t(isBundle ? "save.about" : "save.later")}</small></p>`;
}
