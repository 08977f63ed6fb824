import type { FieldError, Problem } from "../../schema/contract/problem.ts";
import { failures } from "../strings/en/shell.ts";

/** A refusal or failure of the service with the text of its problem answer; `unreachable` without an answer. */
export class ApiProblem extends Error {
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly code: string;
  /** Errors of single fields of the request. */
  readonly errors: readonly FieldError[];
  /** Finds the request in the service's log. */
  readonly requestId: string | null;

  constructor(
    {
      status,
      code,
      detail,
      errors = [],
      requestId = null,
    }: Pick<Problem, "status" | "detail"> & {
      code: string;
      errors?: readonly FieldError[];
      requestId?: string | null;
    },
    cause?: unknown,
  ) {
    super(detail, { cause });
    this.name = "ApiProblem";
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.requestId = requestId;
  }
}

export async function readProblem(response: Response): Promise<ApiProblem> {
  const { status } = response;
  try {
    const problem: Problem = await response.json();
    if (typeof problem.detail === "string") return new ApiProblem(problem);
  } catch {
    // The answer is not from the service, but from a proxy.
  }
  return new ApiProblem({
    status,
    code: "unreadable",
    detail: failures.withoutReason(status),
  });
}

export function unreachable(cause: unknown): ApiProblem {
  return new ApiProblem({ status: 0, code: "unreachable", detail: failures.unreachable }, cause);
}

/** Whether the same request may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof ApiProblem) || error.status === 0 || error.status === 429 || error.status >= 500;
}

/** Whether the request may have made its change although it failed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 0 || error.status >= 500);
}

/** Text for a person about any error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
