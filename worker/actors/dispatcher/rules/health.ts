import type { AgentStatus, HealthParts } from "../../../../schema/contract/management.ts";
import {
  DEGRADED_BELOW_SUCCESS_RATE,
  DEGRADED_LEFT_AT_SUCCESS_RATE,
  DEGRADED_MIN_FINISHED_JOBS,
  HEARTBEAT_FULL_SCORE_MS,
  HEARTBEAT_SCORE_POINTS,
  OFFLINE_AFTER_MS,
  SUCCESS_RATE_WINDOW_MS,
  SUCCESS_SCORE_POINTS,
} from "../../../../schema/limits.ts";

/** An agent's calls, as a dispatcher remembers them. Times are epoch milliseconds, null where there was none. */
export interface Presence {
  /** The last registration or heartbeat. */
  readonly lastHeartbeatAt: number | null;
  /** The last call of any kind. */
  readonly lastSeenAt: number | null;
  readonly lastPollAt: number | null;
  /** After a goodbye or too long a silence. The next heartbeat ends it. */
  readonly offline: boolean;
  /** The agent's process shuts down. The registration of another process ends it. */
  readonly draining?: boolean;
  /** The agent got a new key. The registration with the new key ends it. */
  readonly rekeyed?: boolean;
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
 * Null for an agent without a heartbeat, or known to be offline. `graceFrom` is when the dispatcher came back from an
 * outage: agents count as heard at that moment.
 */
export function heartbeatAgeMs(presence: Presence, graceFrom: number | null, now: number): number | null {
  if (presence.offline || presence.lastHeartbeatAt === null) return null;
  // Never negative: a clock may be set back.
  return Math.max(0, now - Math.max(presence.lastHeartbeatAt, graceFrom ?? 0));
}

/** Whether an agent is offline because only its old key is in use. */
export function lacksNewKey({ offline, rekeyed = false }: Presence): boolean {
  return offline && rekeyed;
}

/** Whether an agent was heard and has since been silent for too long. */
export function isSilent(heartbeatAge: number | null): boolean {
  return heartbeatAge !== null && heartbeatAge >= OFFLINE_AFTER_MS;
}

/** See docs/design/dispatch.md#agent-status. */
export function agentStatus(heartbeatAge: number | null, degraded: boolean): AgentStatus {
  if (heartbeatAge === null || heartbeatAge >= OFFLINE_AFTER_MS) return "Offline";
  return degraded ? "Degraded" : "Online";
}

/** `before` is the present state (docs/design/dispatch.md#agent-status). */
export function isDegraded(before: boolean, { finished, succeeded }: JobOutcomes): boolean {
  if (finished === 0) return false;
  const rate = succeeded / finished;
  if (before) return rate < DEGRADED_LEFT_AT_SUCCESS_RATE;
  return finished >= DEGRADED_MIN_FINISHED_JOBS && rate < DEGRADED_BELOW_SUCCESS_RATE;
}

/** Ended action jobs of the last hour, without cancelled ones (docs/design/dispatch.md#health-score). */
export interface JobOutcomes {
  readonly finished: number;
  readonly succeeded: number;
}

/** From 0 to 100 (docs/design/dispatch.md#health-score). `heartbeatAgeMs` is null without a heartbeat, or offline. */
export function healthScore(heartbeatAgeMs: number | null, outcomes: JobOutcomes): number {
  return Math.round(heartbeatPoints(heartbeatAgeMs) + successPoints(outcomes));
}

/** The parts of the score, which explain it to people. */
export function healthParts(heartbeatAgeMs: number | null, outcomes: JobOutcomes): HealthParts {
  return {
    heartbeatPoints: heartbeatPoints(heartbeatAgeMs),
    successPoints: successPoints(outcomes),
    finishedJobs: outcomes.finished,
    succeededJobs: outcomes.succeeded,
  };
}

/** Full under 60 s, then linear to 0 at 90 s. */
function heartbeatPoints(ageMs: number | null): number {
  if (ageMs === null || ageMs >= OFFLINE_AFTER_MS) return 0;
  if (ageMs < HEARTBEAT_FULL_SCORE_MS) return HEARTBEAT_SCORE_POINTS;
  return (HEARTBEAT_SCORE_POINTS * (OFFLINE_AFTER_MS - ageMs)) / (OFFLINE_AFTER_MS - HEARTBEAT_FULL_SCORE_MS);
}

/** Full when no job finished: a new agent is not unhealthy. */
function successPoints({ finished, succeeded }: JobOutcomes): number {
  return finished === 0 ? SUCCESS_SCORE_POINTS : (SUCCESS_SCORE_POINTS * succeeded) / finished;
}

const MINUTE_MS = 60_000;
const WINDOW_MINUTES = SUCCESS_RATE_WINDOW_MS / MINUTE_MS;

/** How one agent's jobs of the last hour ended, counted by the minute. Times are epoch milliseconds. */
export class OutcomeWindow {
  readonly #minutes = new Map<number, { finished: number; succeeded: number }>();

  add(succeeded: boolean, at: number, count = 1): void {
    const minute = Math.floor(at / MINUTE_MS);
    const bucket = this.#minutes.get(minute) ?? { finished: 0, succeeded: 0 };
    bucket.finished += count;
    if (succeeded) bucket.succeeded += count;
    this.#minutes.set(minute, bucket);
  }

  count(now: number): JobOutcomes {
    const oldest = Math.floor(now / MINUTE_MS) - WINDOW_MINUTES;
    const sum = { finished: 0, succeeded: 0 };
    for (const [minute, bucket] of this.#minutes) {
      if (minute <= oldest) {
        this.#minutes.delete(minute);
        continue;
      }
      sum.finished += bucket.finished;
      sum.succeeded += bucket.succeeded;
    }
    return sum;
  }
}
