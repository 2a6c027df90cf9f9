// What a table has for ears: the announcer, and the keys that ask it.

import { html } from "../view.js";
import { Announcer, useVoice } from "./announcer.js";
import { Keys } from "./keys.js";

/** @param {{ shown: import("../show/shown.js").Shown }} properties */
export function Ears({ shown }) {
  const voice = useVoice(shown);
  return html`<${Keys} shown=${shown} voice=${voice} /><${Announcer} voice=${voice} />`;
}
