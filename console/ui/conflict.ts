import { ApiProblem } from "../api/problem.ts";

/** Whether somebody else changed it since it was read: nothing was done. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 412;
}

/** The same failure in words for whoever looks at a page: the service's own speak of headers. */
export function asPageError(error: unknown): unknown {
  if (!isChangedMeanwhile(error)) return error;
  return new Error(
    "Somebody else changed it since you saw it, so nothing was done. The page now shows what it is: look at it, and try again if you still want to.",
    { cause: error },
  );
}
