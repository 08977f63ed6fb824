import type { Objects } from "../objects.ts";
import type { GateAnswer, GateRequest } from "../ports.ts";

/**
 * One call to the key's gate, told once more when the object was just being moved or restarted: it carries the
 * execution's id, so that telling it twice accepts it once.
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

/** Marks that the platform puts on errors of Durable Object calls; an overloaded object must not get more of them. */
function isRetryable(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const overloaded = "overloaded" in error && error.overloaded === true;
  return !overloaded && "retryable" in error && error.retryable === true;
}
