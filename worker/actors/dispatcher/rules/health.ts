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
  /** It was given another key; the registration with that ends it. */
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
 * Null for an agent that has sent none, or that is known to be offline. `graceFrom` is when the dispatcher itself came back:
 * what it could not hear before counts as heard then.
 */
export function heartbeatAgeMs(presence: Presence, graceFrom: number | null, now: number): number | null {
  if (presence.offline || presence.lastHeartbeatAt === null) return null;
  // Never negative: a clock may be set back.
  return Math.max(0, now - Math.max(presence.lastHeartbeatAt, graceFrom ?? 0));
}

/** Whether an agent is away because only its former key is in use. */
export function lacksNewKey({ offline, rekeyed = false }: Presence): boolean {
  return offline && rekeyed;
}

/** Whether an agent was heard once and has been silent for too long since. */
export function isSilent(heartbeatAge: number | null): boolean {
  return heartbeatAge !== null && heartbeatAge >= OFFLINE_AFTER_MS;
}

/** Offline from 90 s without a heartbeat (docs/design/dispatch.md#agent-status). */
export function agentStatus(heartbeatAge: number | null, degraded: boolean): AgentStatus {
  if (heartbeatAge === null || heartbeatAge >= OFFLINE_AFTER_MS) return "Offline";
  return degraded ? "Degraded" : "Online";
}

/**
 * Entered under half of five or more, left at 80 % or when the hour is empty (docs/design/dispatch.md#agent-status).
 */
export function isDegraded(before: boolean, { finished, succeeded }: JobOutcomes): boolean {
  if (finished === 0) return false;
  const rate = succeeded / finished;
  if (before) return rate < DEGRADED_LEFT_AT_SUCCESS_RATE;
  return finished >= DEGRADED_MIN_FINISHED_JOBS && rate < DEGRADED_BELOW_SUCCESS_RATE;
}

/**
 * How an agent's action jobs of the last hour ended; cancelled ones are in neither number
 * (docs/design/dispatch.md#health-score).
 */
export interface JobOutcomes {
  readonly finished: number;
  readonly succeeded: number;
}

/**
 * 0 to 100, the rounded sum of the heartbeat's and the success rate's points
 * (docs/design/dispatch.md#health-score). `heartbeatAgeMs` is null for an agent that has sent none, or that said goodbye.
 */
export function healthScore(heartbeatAgeMs: number | null, outcomes: JobOutcomes): number {
  return Math.round(heartbeatPoints(heartbeatAgeMs) + successPoints(outcomes));
}

/** What the score is made of, for whoever asks why it is what it is. */
export function healthParts(heartbeatAgeMs: number | null, outcomes: JobOutcomes): HealthParts {
  return {
    heartbeatPoints: heartbeatPoints(heartbeatAgeMs),
    successPoints: successPoints(outcomes),
    finishedJobs: outcomes.finished,
    succeededJobs: outcomes.succeeded,
  };
}

/** Full under 60 s, then linearly to nothing at 90 s. */
function heartbeatPoints(ageMs: number | null): number {
  if (ageMs === null || ageMs >= OFFLINE_AFTER_MS) return 0;
  if (ageMs < HEARTBEAT_FULL_SCORE_MS) return HEARTBEAT_SCORE_POINTS;
  return (HEARTBEAT_SCORE_POINTS * (OFFLINE_AFTER_MS - ageMs)) / (OFFLINE_AFTER_MS - HEARTBEAT_FULL_SCORE_MS);
}

/** Full when nothing finished: a new agent is not an unhealthy one. */
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
