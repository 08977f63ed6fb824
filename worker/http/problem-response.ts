import { PROBLEM_STATUS, STATUS_PHRASES } from "../../schema/contract/problem.ts";
import type { Problem } from "../../schema/contract/problem.ts";
import type { ProblemError } from "../services/problem.ts";

export interface ProblemPlace {
  /** The request's path. */
  instance: string;
  now: number;
  requestId: string;
}

/** The response for a problem: docs/design/http-api.md#problems. */
export function problemResponse(error: ProblemError, place: ProblemPlace): Response {
  const status = PROBLEM_STATUS[error.code];
  const body: Problem = {
    type: "about:blank",
    title: STATUS_PHRASES[status],
    status,
    code: error.code,
    detail: error.message,
    timestamp: new Date(place.now).toISOString(),
    instance: place.instance,
    requestId: place.requestId,
    ...(error.errors === undefined ? {} : { errors: [...error.errors] }),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/problem+json", "Cache-Control": "no-store", ...error.headers },
  });
}
