// What a button on a seat opens: beside the seat, without taking the table away. A click elsewhere and Escape close it.

import { html, useEffect, useId, useRef, useState } from "../view.js";

/** The state of a popover. It closes when the turn begins, unless the player fills in a form. @param {boolean} isTurn */
export function usePopover(isTurn) {
  const [isOpen, setOpen] = useState(false);
  /** @type {Ref<HTMLElement>} */
  const element = useRef(null);
  const close = () => element.current?.hidePopover();
  useEffect(() => {
    if (isTurn && !element.current?.querySelector("dialog[open]")) close();
  }, [isTurn]);
  return { id: useId(), isOpen, setOpen, element, close };
}

/**
 * The button, which lies over the picture of the seat, and the popover.
 * @param {{ popover: ReturnType<typeof usePopover>, kind: string, title: string, mark: unknown, children: unknown }} properties `mark`:
 *     the sign at the edge of the picture
 */
export function Popover({ popover: { id, isOpen, setOpen, element }, kind, title, mark, children }) {
  const toggle = (/** @type {ToggleEvent} */ event) => setOpen(event.newState === "open");
  return html`<button type="button" class=${`quiet on-seat ${kind}`} popovertarget=${id} aria-label=${title}><span
    class="mark">${mark}</span></button>
    <div id=${id} ref=${element} popover="auto" class=${`seat-popover ${kind}`} role="group" aria-label=${title}
      dir=${document.documentElement.dir} onToggle=${toggle}>${isOpen && children}</div>`;
}
