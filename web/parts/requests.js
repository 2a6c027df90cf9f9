// What a page asks of the server: the data that it shows, requests that its buttons start, and why the server refused something.

import { filled, online, repeat, request } from "../api/client.js";
import { isTransient, Offline, Problem } from "../api/problem.js";
import { t, time } from "../i18n/index.js";
import { html, useEffect, useRef, useState } from "../view.js";

/**
 * Loads what the document has at a path template, again whenever its parameters change, and every `seconds` while the page is
 * visible. What cannot be loaded for a while is loaded again: the error goes when the network is back.
 * @template {PathOf<"GET">} P
 * @param {P | null} template null loads nothing
 * @param {LoadOptions<P>} options the parameters
 * @returns {Loaded<P>}
 */
export function useLoaded(template, ...[options]) {
  const path = template && filled(template, options);
  const seconds = options?.seconds;
  const [state, setState] = useState({
    data: /** @type {Answer<"GET", P> | null} */ (null),
    error: /** @type {unknown} */ (null),
  });
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (path === null) return;
    const leaving = new AbortController();
    /** @type {string | null} */
    let etag = null;
    let isLoading = false;
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
        if (leaving.signal.aborted) return true;
        setState((before) => ({ ...before, error }));
        return !isTransient(error);
      }
    };
    const load = async () => {
      if (isLoading) return;
      isLoading = true;
      await repeat(attempt);
      isLoading = false;
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

/** All rulesets, from the simplest to the richest; none until they are loaded. */
export function useRulesets() {
  const { data, error } = useLoaded("/v1/rulesets");
  return { rulesets: data?.items ?? [], error };
}

/**
 * Requests that a button starts, one at a time. A refusal stays until the next run. That no answer came is said until the network
 * is back.
 */
export function useTask() {
  const [state, setState] = useState({ busy: false, error: /** @type {unknown} */ (null) });
  // A second click can come before the page is drawn again.
  const isBusy = useRef(false);
  const run = async (/** @type {() => Promise<unknown>} */ action) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setState({ busy: true, error: null });
    const error = await action().then(
      () => null,
      (/** @type {unknown} */ problem) => problem,
    );
    isBusy.current = false;
    setState({ busy: false, error });
    if (!(error instanceof Offline)) return;
    await online();
    setState((now) => (now.error === error ? { busy: false, error: null } : now));
  };
  return { ...state, run };
}

/** Why the server refused something, in its own words. @param {{ error: unknown }} properties null shows nothing */
export function Refusal({ error }) {
  if (!error) return null;
  if (!(error instanceof Problem)) {
    return html`<p class="notice" role="alert">${error instanceof Offline ? t("shell.noAnswer") : String(error)}</p>`;
  }
  const {
    title,
    detail,
    members: { errors = [], works_at },
  } = error;
  return html`<div class="notice" role="alert">
    <strong>${title}</strong>
    ${detail && detail !== title ? html`<p>${detail}</p>` : null}
    ${works_at ? html`<p>${time(String(works_at))}</p>` : null}
    ${
      errors.length > 0 &&
      html`<ul>${errors.map((one) => html`<li key=${one.field}><code dir="ltr">${one.field}</code> ${one.detail}</li>`)}</ul>`
    }
  </div>`;
}
