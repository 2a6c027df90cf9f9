// A link to pass on.

import { t } from "../i18n/index.js";
import { html, useState } from "../view.js";

/** @param {{ path: string, label: string }} properties */
export function Share({ path, label }) {
  const [copied, setCopied] = useState(false);
  const url = new URL(path, location.href).href;
  const share = async () => {
    try {
      if (navigator.share) return await navigator.share({ url });
      await navigator.clipboard.writeText(url);
      setCopied(true);
    } catch {
      // The player closed the dialog. Outside secure contexts there is neither; the address is shown.
    }
  };
  return html`<span class="row">
    <code dir="ltr">${url}</code>
    ${isSecureContext ? html`<button class="quiet" onClick=${share}>${label}</button>` : null}
    <span role="status">${copied ? t("share.copied") : ""}</span>
  </span>`;
}
