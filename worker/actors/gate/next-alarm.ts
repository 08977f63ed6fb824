import { WEBHOOK_IDEMPOTENCY_WINDOW_MS, WEBHOOK_WINDOW_MS } from "../../../schema/limits.ts";
import { earliest } from "../kit/earliest.ts";

const SECOND_MS = 1_000;
const START_RETRY_FIRST_MS = SECOND_MS;
const START_RETRY_LONGEST_MS = 10 * SECOND_MS;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/**
 * How long after accepting, at the latest, an alarm looks at what was accepted. It is the net under starting at once:
 * an object that is evicted right after its answer is woken by it. Longer than a start takes, so that a burst costs
 * one alarm.
 */
export const GATE_LOOK_AGAIN_MS = 10 * SECOND_MS;
/** A running execution inside its window is asked for its status this often, in case its end was not told. */
export const GATE_RECHECK_MS = 60 * SECOND_MS;
/** A revoked key's epoch is remembered this long, so that settings that were under way cannot bring the key back. */
export const REVOKED_GATE_KEEP_MS = DAY_MS;

/** What a gate has to come back for. Times are epoch milliseconds; null where there is nothing of the kind. */
export interface GateWork {
  /** True while an accepted event has not been started. */
  readonly pending: boolean;
  /** When starting may be tried again after failures. */
  readonly retryAt: number | null;
  /** True when it is known in memory alone which events were started. */
  readonly unsavedStarts: boolean;
  readonly recheckAt: number | null;
  /** When the newest event that was started had been accepted: with it the last row expires. */
  readonly newestStartedAt: number | null;
  /** The newest request that counted for the limit and was not accepted. */
  readonly newestCountedAt: number | null;
  readonly revokedAt: number | null;
}

/** When the gate's alarm must ring next; null when nothing is left to do. */
export function computeNextGateAlarm(work: GateWork, now: number): number | null {
  // Asked at every acceptance: reads nothing that takes longer with more events. This alarm does the rest, too.
  if (work.pending || work.unsavedStarts) return Math.min(work.retryAt ?? Infinity, now + GATE_LOOK_AGAIN_MS);
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
 * How long to wait after `failures` failures in a row (at least one): 1 s, doubling to 10 s, of which a random part of
 * up to a half is taken off, so that many gates do not come back to libSQL together. `random` is in [0, 1).
 */
export function startRetryDelayMs(failures: number, random: number): number {
  const full = Math.min(START_RETRY_LONGEST_MS, START_RETRY_FIRST_MS * 2 ** (failures - 1));
  return Math.round(full * (1 - random / 2));
}
