import { ApiProblem, messageOf } from "../../api/problem.ts";
import { signIn as text } from "../../strings/en/sign-in.ts";

/** Why a sign-in by password failed, and the next step. */
export function signInMessage(error: unknown): string {
  return messageFor(error, text.wrongPassword);
}

/** Why the first administrator was not created, and the next step. */
export function creationMessage(error: unknown): string {
  return messageFor(error, () => text.setUp.failure.wrongToken);
}

function messageFor(error: unknown, unauthenticated: (message: string) => string): string {
  if (!(error instanceof ApiProblem)) return messageOf(error);
  if (error.code === "unreachable") return text.unreachable;
  if (error.status === 401) return unauthenticated(error.message);
  if (error.status === 400) return text.invalid;
  return error.message;
}
