// A request that a button starts: one at a time, and its refusal is shown.

import { online } from "../api/client.js";
import { Offline } from "../api/problem.js";
import { useState } from "../view.js";

/**
 * A refusal stays until the next run. That no answer came is said until the network is back.
 * @returns {{ busy: boolean, error: unknown, run: (action: () => Promise<unknown>) => Promise<void> }}
 */
export function useTask() {
  const [state, setState] = useState({ busy: false, error: /** @type {unknown} */ (null) });
  return {
    ...state,
    run: async (action) => {
      if (state.busy) return;
      setState({ busy: true, error: null });
      try {
        await action();
        setState({ busy: false, error: null });
      } catch (error) {
        setState({ busy: false, error });
        if (!(error instanceof Offline)) return;
        await online();
        setState((now) => (now.error === error ? { busy: false, error: null } : now));
      }
    },
  };
}
