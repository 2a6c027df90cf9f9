/** Something that changes and that views follow: keeps listeners and calls each of them after a change. */
export class Source {
  /** @type {Set<() => void>} */
  listeners = new Set();
  /** How many changes there were. */
  changes = 0;

  /** @param {() => void} listener @returns {() => void} ends the subscription */
  subscribe(listener) {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  changed() {
    this.changes += 1;
    for (const listener of [...this.listeners]) listener();
  }
}
