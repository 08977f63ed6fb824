import { hasCode } from "../atomic-file.ts";
import { CallError } from "./call-error.ts";

const SECOND_MS = 1_000;
const BACKOFF_FIRST_MS = SECOND_MS;
const BACKOFF_MAX_MS = 60 * SECOND_MS;
/** The limit of a Retry-After, because an agent must not stay away for hours. */
const RETRY_AFTER_MAX_MS = 300 * SECOND_MS;
const INTERVAL_JITTER = 0.1;

/** Returns a number from 0 up to 1. Tests provide their own. */
export type Random = () => number;

/** What to do after a failed call; decided only here (docs/design/agent-protocol.md#failed-calls). */
export type NextStep = "register_again" | "stop" | "split" | "wait";

export function nextStep(error: unknown): NextStep {
  if (!(error instanceof CallError)) return "wait";
  if (error.failure === "stopped") return "stop";
  if (error.status === 409 && error.code === "register_again") return "register_again";
  if (error.status === 409 && error.code === "superseded") return "stop";
  // The service refuses something in the body, and would refuse the same body again.
  if (error.status === 400 || error.status === 413) return "split";
  return "wait";
}

export function isSuperseded(error: unknown): boolean {
  return error instanceof CallError && error.status === 409 && error.code === "superseded";
}

/** Milliseconds until the next attempt (docs/design/agent-protocol.md#failed-calls). */
export function backoffMs(error: unknown, failures: number, random: Random): number {
  const doubled = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures - 1, 10));
  const spread = doubled * (0.5 + 0.5 * random());
  const asked = error instanceof CallError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(spread, Math.min(asked, RETRY_AFTER_MAX_MS));
}

/**
 * The interval, shortened by up to a tenth, so that agents do not call in step. It is never longer: a heartbeat must
 * not be late.
 */
export function jittered(intervalMs: number, random: Random): number {
  return intervalMs * (1 - INTERVAL_JITTER * random());
}

/** What a person can do about a failed call; null when waiting is enough. `hasWorked`: the service has answered. */
export function adviceFor(error: unknown, hasWorked: boolean): string | null {
  if (!(error instanceof CallError)) return null;
  if (error.status === 401) {
    return (
      "the service does not know this agent's key: set AGENT_API_KEY to the key that was shown when the agent was " +
      "created or its key was last regenerated, and start the agent again"
    );
  }
  if (error.status === 404) return "check that AGENT_API_URL is the address of a Bellhop deployment";
  if (error.failure === "redirected") return "set AGENT_API_URL to the address that it redirects to";
  if (error.failure === "unreachable" && hasWorked) {
    return hasCode(error.cause, "ECONNRESET")
      ? "the service closed the connection; the agent tries again"
      : "the service answered before, so the address is right; the agent tries again";
  }
  if (error.failure === "unreachable" && ["EPROTO", "ECONNRESET"].some((code) => hasCode(error.cause, code))) {
    return (
      "check AGENT_API_URL. Where it begins with https://, its port must speak TLS; http:// works for this " +
      "machine (127.0.0.1) only. bellhop-agent doctor checks each step"
    );
  }
  if (error.failure === "unreachable") {
    return "check AGENT_API_URL and the network in between, and whether the agent needs HTTPS_PROXY";
  }
  return null;
}
