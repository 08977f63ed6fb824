import type { AgentStatus } from "../../../../schema/contract/management.ts";
import {
  DEGRADED_BELOW_SUCCESS_RATE,
  DEGRADED_LEFT_AT_SUCCESS_RATE,
  DEGRADED_MIN_FINISHED_JOBS,
  OFFLINE_AFTER_MS,
} from "../../../../schema/limits.ts";
import type { JobOutcomes } from "./health-score.ts";

/** What a dispatcher remembers of an agent's calls. Times are epoch milliseconds, null where there was none. */
export interface Presence {
  /** The last registration or heartbeat. */
  readonly lastHeartbeatAt: number | null;
  /** The last call of any kind. */
  readonly lastSeenAt: number | null;
  readonly lastPollAt: number | null;
  /** It said goodbye, or was seen to be silent for too long; the next heartbeat ends that. */
  readonly offline: boolean;
  /** Its process has said that it shuts down; the registration of another one ends that. */
  readonly draining?: boolean;
  readonly degraded: boolean;
}

export const NEVER_SEEN: Presence = {
  lastHeartbeatAt: null,
  lastSeenAt: null,
  lastPollAt: null,
  offline: false,
  degraded: false,
};

/**
 * Null for an agent that has sent none, or that is known to be offline. `graceFrom` is when the dispatcher itself came back:
 * what it could not hear before counts as heard then.
 */
export function heartbeatAgeMs(presence: Presence, graceFrom: number | null, now: number): number | null {
  if (presence.offline || presence.lastHeartbeatAt === null) return null;
  return ageOf(presence.lastHeartbeatAt, graceFrom, now);
}

/** Whether an agent has been silent for so long that what it was running counts as lost. */
export function isSilent(presence: Presence, graceFrom: number | null, now: number): boolean {
  return ageOf(presence.lastSeenAt ?? 0, graceFrom, now) >= OFFLINE_AFTER_MS;
}

/** Offline from 90 s without a heartbeat (specification, "Agent status"). */
export function agentStatus(heartbeatAge: number | null, degraded: boolean): AgentStatus {
  if (heartbeatAge === null || heartbeatAge >= OFFLINE_AFTER_MS) return "Offline";
  return degraded ? "Degraded" : "Online";
}

/** Entered under half of five or more, left at 80 % or when the hour is empty (design 5). */
export function isDegraded(before: boolean, { finished, succeeded }: JobOutcomes): boolean {
  if (finished === 0) return false;
  const rate = succeeded / finished;
  if (before) return rate < DEGRADED_LEFT_AT_SUCCESS_RATE;
  return finished >= DEGRADED_MIN_FINISHED_JOBS && rate < DEGRADED_BELOW_SUCCESS_RATE;
}

/** Never negative: a clock that was set back makes nobody younger than now. */
function ageOf(at: number, graceFrom: number | null, now: number): number {
  return Math.max(0, now - Math.max(at, graceFrom ?? 0));
}
