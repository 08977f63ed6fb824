import { WEBHOOK_IDEMPOTENCY_WINDOW_MS, WEBHOOK_WINDOW_MS } from "../../../schema/limits.ts";
import { earliest } from "../kit/earliest.ts";

const SECOND_MS = 1_000;
const START_RETRY_FIRST_MS = SECOND_MS;
const START_RETRY_LONGEST_MS = 2 * SECOND_MS;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/**
 * The longest time between an acceptance and the alarm that checks it. Starts begin immediately; this alarm covers an
 * object that is evicted right after its answer. Longer than a start takes, so that a burst costs one alarm.
 */
export const GATE_LOOK_AGAIN_MS = 10 * SECOND_MS;
/** How often a running execution inside its window is asked for its status, in case its end was not reported. */
export const GATE_RECHECK_MS = 60 * SECOND_MS;
/** How long a revoked key's epoch is kept, so that settings still in flight cannot restore the key. */
export const REVOKED_GATE_KEEP_MS = DAY_MS;

/** The work that a gate has left. Times are epoch milliseconds; null when there is no such work. */
export interface GateWork {
  /** True while an accepted event has not been started. */
  readonly pending: boolean;
  /** When starts may be tried again after failures. */
  readonly retryAt: number | null;
  /** True while some starts or deliveries are recorded in memory only. */
  readonly unsaved: boolean;
  readonly recheckAt: number | null;
  /** When the newest started event was accepted: its row is the last to expire. */
  readonly newestStartedAt: number | null;
  /** The newest request that counted towards the limit and was not accepted. */
  readonly newestCountedAt: number | null;
  readonly revokedAt: number | null;
}

/** When the gate's alarm must ring next; null when nothing is left to do. */
export function computeNextGateAlarm(work: GateWork, now: number): number | null {
  // This alarm does the other work, too.
  if (work.pending || work.unsaved) return Math.min(work.retryAt ?? Infinity, now + GATE_LOOK_AGAIN_MS);
  return earliest([
    work.recheckAt,
    storageEmptyAt(work),
    work.revokedAt === null ? null : work.revokedAt + REVOKED_GATE_KEEP_MS,
  ]);
}

/** Waiting for the newest row to expire lets one alarm delete them all. */
function storageEmptyAt(work: GateWork): number | null {
  const events = work.newestStartedAt === null ? null : work.newestStartedAt + WEBHOOK_IDEMPOTENCY_WINDOW_MS;
  const counted = work.newestCountedAt === null ? null : work.newestCountedAt + WEBHOOK_WINDOW_MS;
  if (events === null || counted === null) return events ?? counted;
  return Math.max(events, counted);
}

/**
 * The delay after `failures` failures in a row (at least one): 1 s, then 2 s, minus a random part of up to a
 * half, so that many gates do not return to libSQL together. `random` is in [0, 1).
 */
export function startRetryDelayMs(failures: number, random: number): number {
  const full = Math.min(START_RETRY_LONGEST_MS, START_RETRY_FIRST_MS * 2 ** (failures - 1));
  return Math.round(full * (1 - random / 2));
}

/** Whether this delay is over, also when the clock was set back meanwhile: no delay ends so late. */
export function isRetryDue(at: number, now: number): boolean {
  return at <= now || at > now + START_RETRY_LONGEST_MS;
}
