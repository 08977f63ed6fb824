import { ProblemError } from "../problem.ts";

/** What a change conflicts with that would leave nobody to administer the deployment. */
export function lastAdmin(cause: unknown): ProblemError {
  return new ProblemError(
    "conflict",
    "This is the last enabled administrator who can sign in. Make another user an administrator first.",
    { cause },
  );
}
