import { ApiProblem, messageOf } from "../../api/problem.ts";

/** Why a sign-in by password failed, and the next step. */
export function signInMessage(error: unknown): string {
  if (!(error instanceof ApiProblem)) return messageOf(error);
  if (error.code === "unreachable") return "The service does not answer. Check your network, then sign in again.";
  if (error.status === 401) return `${error.message} Try again, or ask an administrator for a new password.`;
  if (error.status === 400) return "Some fields are invalid. See below.";
  return error.message;
}
