import { ApiProblem } from "../api/problem.ts";
import { failures } from "../strings/en/shell.ts";

/** Whether the change was refused because another person changed the resource since it was read. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 412;
}

/** The same error with a message for a person on a page: the service's message names HTTP headers. */
export function asPageError(error: unknown): unknown {
  return isChangedMeanwhile(error) ? new Error(failures.changedMeanwhile, { cause: error }) : error;
}

/** The same for a form, which keeps what the person has typed. */
export function asFormError(error: unknown): unknown {
  return isChangedMeanwhile(error) ? new Error(failures.changedWhileOpen, { cause: error }) : error;
}
