import type { Random } from "../service/retry.ts";
import type { WakeEnd } from "./connection.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const BACKOFF_FIRST_MS = SECOND_MS;
const BACKOFF_MAX_MS = MINUTE_MS;
/** The wait after answers that change only with an update of the service, or of the network before it. */
const SLOW_MIN_MS = 5 * MINUTE_MS;
const SLOW_MAX_MS = 10 * MINUTE_MS;
const RETRY_AFTER_MAX_MS = 5 * MINUTE_MS;

const CLOSED_KEY_REFUSED = 4_401;
const CLOSED_SUPERSEDED = 4_409;

/** What to do after the end of a connection. */
export interface AfterEnd {
  delayMs: number;
  /** The poll loop finds out the cause and logs it: the key is refused, or the session is over. */
  pollNow: boolean;
  /** The service, or a proxy before it, has no wake socket. */
  isUnsupported: boolean;
  /** For a person, as the end of "the wake socket …: ". */
  reason: string;
}

/** Facts that decide when to reopen, besides the end itself. */
export interface Reopening {
  /** The Retry-After of a busy service; null without one. */
  retryAfterMs: number | null;
  /** The least delay after a lost connection: all agents may have lost theirs. */
  reopenInMs: number;
}

/**
 * When to try again after `failures` ends in a row without a healthy minute between them. Full jitter: after a restart
 * of the service all agents come back together.
 */
export function afterEnd(
  end: WakeEnd,
  failures: number,
  { retryAfterMs, reopenInMs }: Reopening,
  random: Random,
): AfterEnd {
  const backoff = BACKOFF_FIRST_MS * 2 ** Math.min(failures - 1, 10);
  const soon = { delayMs: Math.min(BACKOFF_MAX_MS, backoff) * random(), pollNow: false, isUnsupported: false };
  const lost = { ...soon, delayMs: Math.max(soon.delayMs, reopenInMs) };
  const slow = { ...soon, delayMs: SLOW_MIN_MS + (SLOW_MAX_MS - SLOW_MIN_MS) * random() };
  switch (end.how) {
    case "refused":
      return { ...refused(end.status, retryAfterMs, soon, slow) };
    case "closed":
      if (end.code === CLOSED_KEY_REFUSED) return { ...slow, pollNow: true, reason: "the service refused the key" };
      if (end.code === CLOSED_SUPERSEDED) return { ...soon, pollNow: true, reason: "the session is over" };
      return { ...lost, reason: closedBy(end.code) };
    case "closing":
      return { ...soon, pollNow: true, reason: "the service closes the connection" };
    case "half_open":
      return { ...lost, reason: "the service stopped answering" };
    case "too_long":
      return { ...soon, delayMs: Math.max(soon.delayMs, BACKOFF_MAX_MS / 2), reason: "the service sent too much" };
    case "unreachable":
      return { ...soon, reason: end.reason };
    case "stopped":
      return { ...soon, reason: "stopped" };
  }
}

type Timing = Omit<AfterEnd, "reason">;

function refused(status: number, retryAfterMs: number | null, soon: Timing, slow: Timing): AfterEnd {
  switch (status) {
    case 401:
    case 403:
      return { ...slow, pollNow: true, reason: `the service refused the key (${status})` };
    case 409:
      return { ...soon, pollNow: true, reason: "the session is over (409)" };
    case 404:
    case 405:
      return { ...slow, isUnsupported: true, reason: `this service has no wake socket (${status})` };
    case 429:
    case 503: {
      const asked = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
      return { ...soon, delayMs: asked + soon.delayMs, reason: `the service is busy (${status})` };
    }
  }
  if (status >= 500) return { ...soon, reason: `the service had an error (${status})` };
  // 426, or a page of a proxy that does not forward an upgrade.
  return { ...slow, isUnsupported: true, reason: `a proxy in between blocks it (${status})` };
}

function closedBy(code: number): string {
  if (code === 1_001 || code === 1_012) return `the service restarts (${code})`;
  return `the connection was closed (${code})`;
}
