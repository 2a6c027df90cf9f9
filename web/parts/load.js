// Data of the server for a page.

import { online, pause, request } from "../api/client.js";
import { isTransient } from "../api/problem.js";
import { useEffect, useState } from "../view.js";

/** The pauses before data are loaded again that could not be loaded. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Loads `path`, again whenever it changes, and every `seconds` while the page is visible. What cannot be loaded for a while is
 * loaded again: the error goes when the network is back.
 * @template T
 * @param {string | null} path null loads nothing
 * @param {number} [seconds]
 * @returns {{ data: T | null, error: unknown, reload: () => void }}
 */
export function useLoaded(path, seconds) {
  const [state, setState] = useState({ data: /** @type {T | null} */ (null), error: /** @type {unknown} */ (null) });
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (path === null) return;
    const leaving = new AbortController();
    /** @type {string | null} */
    let etag = null;
    let isLoading = false;
    const load = async () => {
      if (isLoading) return;
      isLoading = true;
      for (let wait = FIRST_PAUSE_MS; !(await attempt()) && !leaving.signal.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
        await Promise.race([pause(wait), online()]);
      }
      isLoading = false;
    };
    /** Whether there is nothing to repeat. */
    const attempt = async () => {
      try {
        const headers = etag === null ? undefined : { "If-None-Match": etag };
        const answer = await request("GET", path, { headers, signal: leaving.signal });
        if (answer.status === 304) {
          setState((before) => (before.error ? { ...before, error: null } : before));
        } else {
          etag = answer.headers.get("ETag");
          setState({ data: answer.data, error: null });
        }
        return true;
      } catch (error) {
        if (!leaving.signal.aborted) setState((before) => ({ ...before, error }));
        return !isTransient(error);
      }
    };
    load();
    const timer = seconds && setInterval(() => document.hidden || load(), seconds * 1000);
    return () => {
      clearInterval(timer || undefined);
      leaving.abort();
    };
  }, [path, count]);
  return { ...state, reload: () => setCount((before) => before + 1) };
}
