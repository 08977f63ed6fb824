import { formatHeld } from "../../../schema/contract/agent.ts";
import type { LeaseRef } from "../../../schema/contract/agent.ts";
import { OFFLINE_AFTER_MS } from "../../../schema/limits.ts";
import { judgeLease } from "../../actors/dispatcher/rules/judge-result.ts";
import type { HeldJob, LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";

/** Of the leases that an agent says it holds, those whose jobs it must stop (design 4, `cancelled`). */
export function cancelledAmong(pool: Pool, agentId: string, held: readonly LeaseRef[]): LeaseRef[] {
  return held.filter((ref) => {
    const live = pool.jobs.get(ref.jobId);
    const stage = live?.job.stage;
    if (stage?.type === "delivered" && stage.agentId === agentId) {
      // Under another lease it is sent again, and the agent goes on under the newer one.
      return stage.lease === ref.lease && stage.cancelRequested && live?.busy === null;
    }
    // What its own result has ended waits in its journal for the answer that was lost; that is no reason to stop it.
    return judgeLease(live?.job ?? null, pool.jobs.finished(ref.jobId), agentId, ref) !== "duplicate";
  });
}

/** Notes which of its leases an agent says it has: what it does not have for 90 s is lost (`lost-jobs.ts`). */
export function noteHeld(pool: Pool, agentId: string, held: readonly LeaseRef[], now: number): void {
  const shown = new Set(held.map(formatHeld));
  for (const { live, stage } of pool.jobs.heldBy(agentId)) {
    const { lease } = stage;
    const sight = live.sight?.lease === lease ? live.sight : null;
    if (shown.has(formatHeld({ jobId: live.job.facts.jobId, lease }))) {
      live.sight = { lease, wasShown: true, missedAt: null };
    } else if (sight?.missedAt == null) {
      live.sight = { lease, wasShown: sight?.wasShown ?? false, missedAt: now };
      pool.alarm.by(now + OFFLINE_AFTER_MS);
    }
  }
}

/**
 * When a delivered job began (epoch ms), as far as is known before its result: an agent begins what it is given at once.
 * Null when the agent says that it does not have the job.
 */
export function begunAt({ job: { stage }, sight }: LiveJob): number | null {
  if (stage.type !== "delivered") return null;
  return sight?.lease === stage.lease && sight.missedAt !== null ? null : stage.sentAt;
}

/** What was delivered to an agent and it does not have: an answer was lost, or it had no room (invariant 3). */
export function missingAmong(pool: Pool, agentId: string, held: readonly LeaseRef[]): HeldJob[] {
  const shown = new Set(held.map(formatHeld));
  return pool.jobs.heldBy(agentId).filter(({ live, stage }) => {
    const ref = { jobId: live.job.facts.jobId, lease: stage.lease };
    return live.busy === null && !shown.has(formatHeld(ref));
  });
}
