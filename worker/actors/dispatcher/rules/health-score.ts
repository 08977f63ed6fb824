import type { HealthParts } from "../../../../schema/contract/management.ts";
import {
  HEARTBEAT_FULL_SCORE_MS,
  HEARTBEAT_SCORE_POINTS,
  OFFLINE_AFTER_MS,
  SUCCESS_SCORE_POINTS,
} from "../../../../schema/limits.ts";

/** How an agent's action jobs of the last hour ended; cancelled ones are in neither number (design 5). */
export interface JobOutcomes {
  readonly finished: number;
  readonly succeeded: number;
}

/**
 * 0 to 100, the rounded sum of the heartbeat's and the success rate's points (specification, "Health score"; design
 * 5). `heartbeatAgeMs` is null for an agent that has sent none, or that said goodbye.
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
