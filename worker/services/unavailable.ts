import { isUnavailable } from "../store/errors.ts";
import { logWarning } from "./log.ts";
import { ProblemError } from "./problem.ts";

const RETRY_AFTER_SECONDS = 2;

/** 503 for a failure of the database's reach; null for what is a fault of ours. The app's error handler asks it. */
export function databaseProblem(error: unknown): ProblemError | null {
  return isUnavailable(error) ? unavailable("The database cannot be reached.", error) : null;
}

/**
 * Calls a Durable Object. What it throws has lost its class on the way, and means that it, or the database behind it,
 * is not there now: every call may be repeated (services/ports.ts), so the answer is 503. `said` tells what holds.
 */
export async function reach<T>(said: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    logWarning("an object did not answer", { said, error: String(error) });
    throw unavailable(said, error);
  }
}

function unavailable(said: string, cause: unknown): ProblemError {
  return new ProblemError("unavailable", `${said} Try again in a moment.`, {
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
    cause,
  });
}
