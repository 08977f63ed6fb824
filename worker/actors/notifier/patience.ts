import { NOTICE_TRIED_MS } from "../../../schema/limits.ts";
import type { JobOrder } from "../../domain/job-order.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** The `poolObject` of notices of rules (docs/design/notifications.md#sending). */
export const NOTICES = "alerter";

/** How long a notification is tried. Times are epoch milliseconds. */
interface Patience {
  readonly maxAttempts: number;
  readonly longestPauseMs: number;
  /** When an attempt is over that began at `attemptAt`, after a first one at `startedAt`. */
  deadlineOf(startedAt: number, attemptAt: number): number;
  /** When no further attempt begins. */
  endOf(startedAt: number): number;
  /** Whether there is a last attempt at the end, however long the receiver asks to wait. */
  readonly triesAtTheEnd: boolean;
  /** What people read when the time is over, and what helps when no answer says why; or when no time is left for another attempt. */
  readonly tooLate: string;
  readonly help: string;
  readonly noTime: string;
}

/** A workflow waits for its notification; a notice of a rule waits for its receiver. */
export function patienceOf({ poolObject, timeoutSeconds }: Pick<JobOrder, "poolObject" | "timeoutSeconds">): Patience {
  const limitMs = timeoutSeconds * SECOND_MS;
  if (poolObject === NOTICES) {
    return {
      maxAttempts: Infinity,
      longestPauseMs: 15 * MINUTE_MS,
      deadlineOf: (_startedAt, attemptAt) => attemptAt + limitMs,
      endOf: (startedAt) => startedAt + NOTICE_TRIED_MS,
      triesAtTheEnd: true,
      tooLate: "It could not be sent within 24 hours.",
      help: "The service was stopped for a long time.",
      noTime: "It was tried for 24 hours.",
    };
  }
  return {
    // With the pauses between them, about two and a half minutes in all. The node's `retry` comes on top.
    maxAttempts: 6,
    longestPauseMs: MINUTE_MS,
    deadlineOf: (startedAt) => startedAt + limitMs,
    endOf: (startedAt) => startedAt + limitMs,
    triesAtTheEnd: false,
    tooLate: `The notification could not be sent within the node's timeoutSeconds of ${timeoutSeconds}.`,
    help: "Raise timeoutSeconds.",
    noTime: `The node's timeoutSeconds of ${timeoutSeconds} leaves no time for another attempt.`,
  };
}
