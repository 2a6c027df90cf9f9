// Data of the server for a page.

import { request } from "../api/client.js";
import { useEffect, useState } from "../view.js";

/**
 * Loads `path`, again whenever it changes, and every `seconds` while the page is visible.
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
    const load = async () => {
      try {
        const headers = etag === null ? undefined : { "If-None-Match": etag };
        const answer = await request("GET", path, { headers, signal: leaving.signal });
        if (answer.status === 304) return;
        etag = answer.headers.get("ETag");
        setState({ data: answer.data, error: null });
      } catch (error) {
        if (!leaving.signal.aborted) setState((before) => ({ ...before, error }));
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
