import { formatHeld } from "../../../../schema/contract/agent.ts";
import type { LeaseRef } from "../../../../schema/contract/agent.ts";
import { showHeld } from "../rules/job.ts";
import { judgeLease } from "../rules/judge-result.ts";
import type { HeldJob, LiveJob } from "../state/live-job.ts";
import type { DispatcherState } from "../state/state.ts";

type Jobs = Pick<DispatcherState, "jobs">;

/** The leases that an agent reports and must stop. */
export function cancelledAmong({ jobs }: Jobs, agentId: string, held: readonly LeaseRef[]): LeaseRef[] {
  const isHeld = ({ jobId }: LeaseRef) => {
    const stage = jobs.get(jobId)?.job.stage;
    return stage?.type === "delivered" && stage.agentId === agentId;
  };
  const finished = jobs.finishedAmong(held.filter((ref) => !isHeld(ref)).map(({ jobId }) => jobId));
  return held.filter((ref) => {
    const live = jobs.get(ref.jobId);
    const stage = live?.job.stage;
    if (live !== undefined && stage?.type === "delivered" && stage.agentId === agentId) {
      // The job is sent again under its newer lease, and the agent continues with that.
      return stage.lease === ref.lease && stage.cancelRequested && !live.isReporting;
    }
    // The agent keeps a job that its own result ended until the acknowledgement is repeated: it must not stop that job.
    return judgeLease(live?.job ?? null, finished.get(ref.jobId) ?? [], agentId, ref) !== "duplicate";
  });
}

/** Records which of its leases an agent reports. A lease that is not reported for 90 s is lost. */
export function noteHeld({ jobs }: Jobs, agentId: string, held: readonly LeaseRef[], now: number): void {
  const shown = new Set(held.map(formatHeld));
  for (const { live, stage } of jobs.heldBy(agentId)) {
    const { lease } = stage;
    const before = live.lastReport?.lease === lease ? live.lastReport : null;
    if (shown.has(formatHeld({ jobId: live.job.facts.jobId, lease }))) {
      live.lastReport = { lease, wasShown: true, missedAt: null };
    } else if (before?.missedAt == null) {
      live.lastReport = { lease, wasShown: before?.wasShown ?? false, missedAt: now };
    }
  }
}

/** The delivered jobs that an agent does not report: an answer was lost, or the agent had no room (invariant 3). */
export function missingAmong({ jobs }: Jobs, agentId: string, held: readonly LeaseRef[]): HeldJob[] {
  const shown = new Set(held.map(formatHeld));
  return jobs.heldBy(agentId).filter(({ live, stage }) => {
    return !live.isReporting && !shown.has(formatHeld({ jobId: live.job.facts.jobId, lease: stage.lease }));
  });
}

/**
 * Stores that an agent has reported a job, once for each job. The history of a lost job needs this 90 s later, when the
 * dispatcher may have been put to sleep.
 */
export function keepShown({ jobs }: Jobs, agentId: string): void {
  for (const { live } of jobs.heldBy(agentId)) {
    if (live.lastReport?.wasShown === true) jobs.change(live, showHeld(live.job));
  }
}

/** When a lost job began (epoch ms); null when its agent never reported it, so that it may not have got it. */
export function begunBeforeLoss({ job: { stage }, lastReport }: LiveJob): number | null {
  if (stage.type !== "delivered") return null;
  const wasShown = lastReport?.lease === stage.lease && lastReport.wasShown;
  return stage.heldShown === true || wasShown ? stage.sentAt : null;
}

/**
 * When a delivered job began (epoch ms), estimated before its result as the last delivery: an agent begins immediately,
 * and protocol 1 reports the true time only in the result. Null when the agent reports that it does not hold the job.
 */
export function begunAt({ job: { stage }, lastReport }: LiveJob): number | null {
  if (stage.type !== "delivered") return null;
  return lastReport?.lease === stage.lease && lastReport.missedAt !== null ? null : stage.sentAt;
}
