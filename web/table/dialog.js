// What the dialogs over the felt share.

/** @param {MouseEvent} event on the backdrop of a dialog */
export function closeOutside(event) {
  if (event.target === event.currentTarget) /** @type {HTMLDialogElement} */ (event.target).close();
}
