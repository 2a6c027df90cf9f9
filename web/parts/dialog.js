// A button and the dialog that it opens, over the felt or a page.

import { html, useRef } from "../view.js";

/** Closes the dialog around a control. @param {Event} event */
export const closeDialog = ({ currentTarget }) => /** @type {Element} */ (currentTarget).closest("dialog")?.close();

/**
 * A button that opens a dialog. A click beside the dialog closes it.
 * @param {{ title: string, label?: unknown, kind?: string, isEmpty?: boolean, children: unknown }} properties `label`: what the button
 *     shows instead of the title
 */
export function Dialog({ title, label, kind = "plain", isEmpty = false, children }) {
  /** @type {Ref<HTMLDialogElement>} */
  const dialog = useRef(null);
  const closeOutside = (/** @type {MouseEvent} */ event) => event.target === event.currentTarget && closeDialog(event);
  const open = () => dialog.current?.showModal();
  return html`<button class=${kind} aria-label=${label ? title : null} aria-disabled=${isEmpty ? "true" : null} onClick=${open}>
      ${label ?? title}</button>
    <dialog ref=${dialog} class="felt-dialog" aria-label=${title} onClick=${closeOutside}>${children}</dialog>`;
}
