import { ProblemError } from "../problem.ts";

/** The conflict of a change that would leave the deployment without an administrator. */
export function lastAdmin(cause: unknown): ProblemError {
  return new ProblemError(
    "conflict",
    "This is the last enabled administrator who can sign in. Make another user an administrator first.",
    { cause },
  );
}
