// Refusals of the server.

import type { components } from "./schema.js";

/** The server refused a request. `code` never changes; `problem` has further members. */
export class ProblemError extends Error {
  constructor(
    readonly status: number,
    readonly code: string | undefined,
    readonly problem: Partial<components["schemas"]["Problem"]>,
  ) {
    super(`${status} ${code ?? "without a problem document"}: ${problem.detail ?? ""}`);
  }
}

/** The data of a successful answer. Throws a `ProblemError` for any other answer. */
export function accepted<T>(answer: { data?: T | null; error?: unknown; response: Response }): T {
  if (answer.data !== undefined && answer.data !== null) return answer.data;
  const { error, response } = answer;
  const problem: Partial<components["schemas"]["Problem"]> = typeof error === "object" && error !== null ? error : {};
  throw new ProblemError(response.status, problem.code, problem);
}
