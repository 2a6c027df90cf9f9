// The table while a game is played: the felt, and the calls and the result of a round over it.

import { html, lazy, loadStyle } from "../view.js";
import { Calls } from "./calls.js";
import { Felt, Prompt } from "./felt.js";
import { namesOf, ownSeat } from "./names.js";

// The first round takes longer than loading it.
const RoundSheet = lazy(async () => (await Promise.all([import("./round_sheet.js"), loadStyle("sheet")]))[0].RoundSheet);

/** @typedef {import("../schema").components["schemas"]["Command"]} Command */

/**
 * @typedef {object} Properties
 * @property {import("../show/shown.js").Shown} shown
 * @property {import("../game/store.js").GameView} view
 * @property {import("./places.js").Places} places
 * @property {(command: Command) => void} send
 * @property {(command: Command) => void} onRefused a card or a call that was tried and is not legal
 * @property {unknown} [children] what lies over the felt
 */

/** @param {Properties} properties */
export function Play({ shown, view, places, send, onRefused, children }) {
  const own = ownSeat(view);
  const { legal } = shown;
  const calls = legal.filter((command) => command.type !== "play");
  const sheet = html`<${RoundSheet} shown=${shown} />`;
  const isStrip = calls.length > 0 && shown.isStrip;
  return html`<${Felt} shown=${shown} view=${view} places=${places} own=${own} names=${namesOf(view)} legal=${legal} send=${send} onRefused=${onRefused}>
    ${children}
    <${Prompt} view=${view} places=${places} own=${own} legal=${legal} isSilent=${calls.length > 0} />
    ${calls.length > 0
      ? html`<${Calls} view=${view} commands=${calls} box=${places.panel} send=${send} onRefused=${onRefused}>${isStrip ? sheet : null}</${Calls}>`
      : null}
    ${isStrip ? null : sheet}
  </${Felt}>`;
}
