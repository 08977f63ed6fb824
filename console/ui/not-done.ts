import { ApiProblem, isOutcomeUnknown } from "../api/problem.ts";
import { failures } from "../strings/en/shell.ts";

/** The heading of a failure. Without a complete answer it says that the change may have been made. */
export function notDone(title: string, error: unknown): string {
  // The service's message begins so when an earlier attempt, whose answer was lost, made the change.
  if (error instanceof ApiProblem && error.status === 409 && error.message.startsWith("This was done before")) {
    return failures.doneBefore;
  }
  return isOutcomeUnknown(error) ? failures.maybeDone(title) : title;
}
