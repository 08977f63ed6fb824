import { ApiProblem } from "../api/problem.ts";
import { failures } from "../strings/en/shell.ts";

/** Whether the change was refused because another person changed the resource since it was read. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 412;
}

/** The same error with a message for a person on a page: the service's message names HTTP headers. */
export function asPageError(error: unknown): unknown {
  if (!isChangedMeanwhile(error)) return error;
  return new Error(failures.changedMeanwhile, { cause: error });
}
