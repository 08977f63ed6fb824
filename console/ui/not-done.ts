import { ApiProblem, isOutcomeUnknown } from "../api/problem.ts";

/** How the service begins to say that a repeat was carried out at the first try, whose answer was lost. */
const DONE_BEFORE = "This was done before";

/** The heading of a failure: where no answer came, or a broken one, nobody knows whether it was done. */
export function notDone(title: string, error: unknown): string {
  if (error instanceof ApiProblem && error.status === 409 && error.message.startsWith(DONE_BEFORE)) {
    return "It was done at the first try: do not do it again";
  }
  return isOutcomeUnknown(error) ? `${title}, or its answer was lost` : title;
}
