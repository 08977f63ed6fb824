import { NOT_PAUSED } from "../../../domain/control.ts";
import type { ControlState } from "../../../domain/control.ts";
import { waitsInPause } from "./job.ts";
import type { DispatchJob } from "./job.ts";
import type { ServiceEnd } from "./service-end.ts";

const SECOND_MS = 1_000;
/** An agent's time beyond the job's own limit: to begin the job, to stop it, and to report. */
const OVERTIME_MS = 120 * SECOND_MS;
/** Each repeated delivery extends the limit, up to this: an agent that never begins the job cannot keep it. */
const RESENDING_MAX_MS = 600 * SECOND_MS;

export interface JobDeadline {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly end: ServiceEnd;
}

/**
 * When and how the dispatcher ends this job; null when only an agent or a person does. The time of a waiting job does not
 * run during a pause and starts again after it.
 */
export function jobDeadline({ facts, stage }: DispatchJob, control: ControlState = NOT_PAUSED): JobDeadline | null {
  switch (stage.type) {
    case "queued":
    case "reserved":
      if (facts.queueTimeoutSeconds === null) return null;
      if (waitsInPause(facts) && control.pause !== null) return null;
      return { at: waitsFrom(facts, control) + facts.queueTimeoutSeconds * SECOND_MS, end: "queue_timeout" };
    case "delivered": {
      if (stage.resultShown) return null;
      const sentAt = Math.min(stage.sentAt, stage.deliveredAt + RESENDING_MAX_MS);
      return { at: sentAt + facts.timeoutSeconds * SECOND_MS + OVERTIME_MS, end: "timed_out" };
    }
    case "ended":
      return null;
  }
}

/** When its wait began, or its last pause ended (epoch ms). */
function waitsFrom(facts: DispatchJob["facts"], { resumedAt }: ControlState): number {
  const from = facts.lostAt ?? facts.queuedAt;
  return waitsInPause(facts) ? Math.max(from, resumedAt ?? from) : from;
}
