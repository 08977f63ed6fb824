import { ApiProblem, isOutcomeUnknown } from "../api/problem.ts";

/** The service's message begins so when an earlier attempt, whose answer was lost, made the change. */
const DONE_BEFORE = "This was done before";

/** The heading of a failure. Without a complete answer it says that the change may have been made. */
export function notDone(title: string, error: unknown): string {
  if (error instanceof ApiProblem && error.status === 409 && error.message.startsWith(DONE_BEFORE)) {
    return "The first attempt succeeded. Do not repeat it.";
  }
  return isOutcomeUnknown(error) ? `${title}, or the answer was lost` : title;
}
