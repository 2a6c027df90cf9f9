// Which failures pass, and how long to wait for that.

import { ProblemError } from "./problem.js";

/** The first pause and the longest one, in milliseconds. Each pause is twice as long as the one before. */
const [FIRST, LONGEST] = [250, 30_000];

/** The pauses between the attempts of one task. */
export class Pauses {
  private next = FIRST;

  /** Waits before the next attempt after `error`. Throws an error that a repetition does not mend. */
  async after(error?: unknown): Promise<void> {
    if (error !== undefined && !isTemporary(error)) throw error;
    await new Promise((resolve) => setTimeout(resolve, this.next));
    this.next = Math.min(this.next * 2, LONGEST);
  }

  /** An attempt succeeded. */
  reset(): void {
    this.next = FIRST;
  }
}

/** What `load` returns once it succeeds. Throws an error that a repetition does not mend. */
export async function repeated<T>(load: () => Promise<T>): Promise<T> {
  for (const pauses = new Pauses(); ; ) {
    try {
      return await load();
    } catch (error) {
      await pauses.after(error);
    }
  }
}

/** `fetch` throws a TypeError for a broken connection, and a DOMException for a request that was aborted. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ProblemError) return error.status === 429 || error.status >= 500;
  return error instanceof TypeError || error instanceof DOMException;
}
