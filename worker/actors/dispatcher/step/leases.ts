import { formatHeld } from "../../../../schema/contract/agent.ts";
import type { LeaseRef } from "../../../../schema/contract/agent.ts";
import { showHeld } from "../rules/job.ts";
import { judgeLease } from "../rules/judge-result.ts";
import type { HeldJob, LiveJob } from "../state/live-job.ts";
import type { DispatcherState } from "../state/state.ts";

type Jobs = Pick<DispatcherState, "jobs">;

/** Of the leases that an agent says it holds, those whose jobs it must stop. */
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
      // Under another lease it is sent again, and the agent goes on under the newer one.
      return stage.lease === ref.lease && stage.cancelRequested && !live.isReporting;
    }
    // What its own result has ended waits in its journal for the answer that was lost; that is no reason to stop it.
    return judgeLease(live?.job ?? null, finished.get(ref.jobId) ?? [], agentId, ref) !== "duplicate";
  });
}

/** Notes which of its leases an agent says it has: what it does not have for 90 s is lost. */
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

/** What was delivered to an agent and it does not have: an answer was lost, or it had no room (invariant 3). */
export function missingAmong({ jobs }: Jobs, agentId: string, held: readonly LeaseRef[]): HeldJob[] {
  const shown = new Set(held.map(formatHeld));
  return jobs.heldBy(agentId).filter(({ live, stage }) => {
    return !live.isReporting && !shown.has(formatHeld({ jobId: live.job.facts.jobId, lease: stage.lease }));
  });
}

/**
 * Keeps that an agent has said that it has a job, once for each: the history of a lost job asks for it 90 s later, when a
 * dispatcher that nobody called has been put to sleep.
 */
export function keepShown({ jobs }: Jobs, agentId: string): void {
  for (const { live } of jobs.heldBy(agentId)) {
    if (live.lastReport?.wasShown === true) jobs.change(live, showHeld(live.job));
  }
}

/** When a job that was lost began (epoch ms); null when its agent never said that it has it, and may not have got it. */
export function begunBeforeLoss({ job: { stage }, lastReport }: LiveJob): number | null {
  if (stage.type !== "delivered") return null;
  const wasShown = lastReport?.lease === stage.lease && lastReport.wasShown;
  return stage.heldShown === true || wasShown ? stage.sentAt : null;
}

/**
 * When a delivered job began (epoch ms), as far as is known before its result: when it was last sent, since an agent
 * begins at once, and protocol 1 names the true time in the result alone. Null when the agent says that it does not have
 * the job.
 */
export function begunAt({ job: { stage }, lastReport }: LiveJob): number | null {
  if (stage.type !== "delivered") return null;
  return lastReport?.lease === stage.lease && lastReport.missedAt !== null ? null : stage.sentAt;
}
