// Saves the bundle of a game, with the command that verifies it elsewhere.

import { t } from "../i18n/index.js";
import { Copy } from "../parts/share.js";
import { html, useEffect, useState } from "../view.js";

/** @param {{ id: string, text: string, isBundle: boolean }} properties `isBundle`: whether the text is a bundle, or a history alone */
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
