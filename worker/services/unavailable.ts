import { isOfDatabase, isUnavailable } from "../store/errors.ts";
import { ProblemError } from "./problem.ts";

const RETRY_AFTER_SECONDS = 2;

/**
 * 503 when the database, or an object of the service, cannot be reached; null for what is a fault of ours. The app's
 * error handler asks it. The answer names which of the two; its cause is for the request's line in the log.
 */
export function databaseProblem(error: unknown): ProblemError | null {
  if (!isUnavailable(error)) return null;
  return unavailable(
    isOfDatabase(error) ? "The database cannot be reached." : "A part of the service does not answer.",
    error,
  );
}

/**
 * Calls a Durable Object. What it throws has lost its class on the way, and means that it, or the database behind it,
 * is not there now: every call may be repeated (services/ports.ts), so the answer is 503. `said` tells what holds. Who
 * catches it logs its cause (`failureWords`).
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
