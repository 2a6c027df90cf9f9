// What can go wrong with a request.

/** The server refused a request: a problem document (RFC 9457). */
export class Problem extends Error {
  /** @param {number} status @param {Schemas["Problem"]} document */
  constructor(status, document) {
    super(document.title);
    this.status = status;
    this.code = document.code;
    this.title = document.title;
    this.detail = document.detail;
    /** All members, such as `errors` or `barred`. */
    this.members = document;
  }
}

/** No answer arrived, also not after the repetitions. */
export class Offline extends Error {}

/** Whether the same request may succeed later. @param {unknown} error */
export const isTransient = (error) =>
  error instanceof Offline || (error instanceof Problem && (error.status >= 500 || error.status === 429));

/** The problem of an answer. Proxies answer with other documents, so nothing is assumed. @param {Response} answer */
export async function problemOf(answer) {
  const title = answer.statusText || `HTTP ${answer.status}`;
  const document = await answer.json().catch(() => null);
  return new Problem(answer.status, {
    type: "about:blank",
    code: "unknown",
    title,
    detail: "",
    status: answer.status,
    ...document,
  });
}
