import type { Objects } from "../objects.ts";
import type { GateAnswer, GateRequest } from "../ports.ts";

/**
 * Calls the key's gate, a second time when the object was just being moved or restarted. The request carries the
 * execution's id, so a repeated call accepts it once.
 */
export async function askGate(objects: Objects, request: GateRequest): Promise<GateAnswer> {
  try {
    return await objects.gate(request.webhookKey).accept(request);
  } catch (error) {
    if (!isRetryable(error)) throw error;
    // A stub that failed keeps failing.
    return objects.gate(request.webhookKey).accept(request);
  }
}

/** The platform marks errors of Durable Object calls. An overloaded object must not get more calls. */
function isRetryable(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const overloaded = "overloaded" in error && error.overloaded === true;
  return !overloaded && "retryable" in error && error.retryable === true;
}
