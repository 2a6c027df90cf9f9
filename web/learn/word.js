// A word of the game that opens its explanation.

import { html, loadStyle } from "../view.js";

/**
 * A button that opens the word in a dialog, which is loaded then.
 * @param {{ word: string, name?: string, children: unknown }} properties `word` is a key of `texts/en/words.js`; that of an option
 *     is `option.NAME`. `name` is for screen readers, if the children are no words
 */
export function Word({ word, name, children }) {
  const open = async (/** @type {Event} */ event) => {
    event.stopPropagation();
    const [{ explain }] = await Promise.all([import("./explanation.js"), loadStyle("learn")]);
    explain(word);
  };
  return html`<button type="button" class="word" aria-haspopup="dialog" aria-label=${name} data-word=${word}
    onClick=${open}>${children}</button>`;
}
