import { LOST_TIMES_MAX } from "../../schema/limits.ts";
import { endJob, queueAgain } from "./job-lifecycle.ts";
import type { JobFacts, PoolJob } from "./job-lifecycle.ts";

/** How a job was lost: its agent is gone, or its agent was restarted and reported that it had begun it. */
export type Loss = "gone" | "interrupted";

/**
 * What becomes of a job whose agent is gone, whose journal was replaced, or whose outcome is unknown (invariant 5): the
 * one place that decides it. What may run twice goes back into the queue, for the next healthiest agent; the rest fails
 * with `agent_lost`.
 */
export function loseJob(job: PoolJob, loss: Loss, now: number): PoolJob {
  if (!goesOn(job)) return endJob(job, "agent_lost", now, lostTooOften(job.facts) ? LOST_OFTEN : null);
  const { lost = 0, interrupted = 0 } = job.facts;
  const again = { lost: lost + 1, interrupted: interrupted + (loss === "interrupted" ? 1 : 0), lostAt: now };
  return queueAgain({ ...job, facts: { ...job.facts, ...again } });
}

/** Whether a lost job is given to an agent once more. */
export function goesOn({ facts, stage }: PoolJob): boolean {
  // Nobody waits for its result any more; what it did so far stays unknown.
  if (stage.type === "delivered" && stage.cancelRequested) return false;
  return mayRunAgain(facts) && !lostTooOften(facts);
}

/**
 * `read` and `idempotent` jobs may, unless their node says `onAgentLost: "fail"`; `unsafe` ones when it says `"retry"`.
 * What brings a credential has its own way to come again.
 */
function mayRunAgain({ kind, effect, onAgentLost }: JobFacts): boolean {
  if (kind === "credentialSync") return false;
  return effect === "unsafe" ? onAgentLost === "retry" : onAgentLost !== "fail";
}

/** A job that brings down whatever runs it must not go round for ever. */
function lostTooOften({ lost = 0 }: JobFacts): boolean {
  return lost >= LOST_TIMES_MAX;
}

const LOST_OFTEN = `It was given to an agent ${LOST_TIMES_MAX + 1} times and lost each time: does it bring its agent down?`;
