import { isOfDatabase, isUnavailable } from "../store/errors.ts";
import { LineLimit } from "./line-limit.ts";
import { logWarning } from "./log.ts";
import { ProblemError } from "./problem.ts";

const RETRY_AFTER_SECONDS = 2;

/** An outage meets every request: whoever reads the log wants its reason, and not thousands of times. */
const reasons = new LineLimit({ perMinute: 30 });

/**
 * 503 when the database, or an object of the service, cannot be reached; null for what is a fault of ours. The app's
 * error handler asks it. The answer names which of the two, the log why.
 */
export function databaseProblem(error: unknown): ProblemError | null {
  if (!isUnavailable(error)) return null;
  const said = isOfDatabase(error) ? "The database cannot be reached." : "A part of the service does not answer.";
  const limited = reasons.admit(said, Date.now());
  if (limited !== null) logWarning("a request cannot be served now", { said, error: String(error), ...limited });
  return unavailable(said, error);
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
