// A request that a button starts: one at a time, and its refusal is shown.

import { useState } from "../view.js";

/** @returns {{ busy: boolean, error: unknown, run: (action: () => Promise<unknown>) => Promise<void> }} */
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
      }
    },
  };
}
