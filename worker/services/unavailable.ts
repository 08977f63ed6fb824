import { isOfDatabase, isUnavailable } from "../store/errors.ts";
import { ProblemError } from "./problem.ts";

const RETRY_AFTER_SECONDS = 2;

/**
 * 503 when the database or an object cannot be reached; null for an internal error. The app's error handler calls it.
 * The answer names which of the two; the cause goes to the log line of the request.
 */
export function databaseProblem(error: unknown): ProblemError | null {
  if (!isUnavailable(error)) return null;
  return unavailable(
    isOfDatabase(error) ? "The database cannot be reached, or is busy." : "A part of the service does not answer.",
    error,
  );
}

/**
 * Calls a Durable Object. Its error has lost its class on the way, and means that the object, or the database behind
 * it, is unavailable. Every call may be repeated (services/ports.ts), so the answer is 503. `said` begins the answer's
 * detail. A caller that catches the error logs its cause (`failureMessage`).
 */
export async function reach<T>(said: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw unavailable(said, error);
  }
}

function unavailable(said: string, cause: unknown): ProblemError {
  return new ProblemError("unavailable", `${said} Try again in a moment.`, {
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
    cause,
  });
}
