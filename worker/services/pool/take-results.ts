import type { Ack, JobResult, LeaseRef } from "../../../schema/contract/agent.ts";
import { reportOf, showResult } from "../../domain/job-lifecycle.ts";
import { goesOn } from "../../domain/lost-job.ts";
import { judgeLease } from "../../domain/judge-result.ts";
import { logWarning } from "../log.ts";
import type { AgentCaller, PoolRefusal } from "../ports.ts";
import { admit } from "./admit.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { CallLimit } from "./call-limit.ts";
import { cancelledHere, noteHeld } from "./held-leases.ts";
import { loseFrom } from "./lost-jobs.ts";
import type { Pool } from "./pool.ts";
import { CALLS_AT_ONCE, inTurns, settle } from "./tell-ends.ts";

/**
 * Takes results: each is checked against its job's lease, committed by Run, and then acknowledged. What could not be
 * committed is answered `retry` and stays in the agent's journal (invariant 4).
 */
export async function takeResults(
  pool: Pool,
  caller: AgentCaller,
  results: readonly JobResult[],
): Promise<{ acks: (LeaseRef & { ack: Ack })[] } | PoolRefusal> {
  const admitted = admit(pool, caller);
  if ("refused" in admitted) return admitted;
  pool.agents.heard(admitted.agent, "results", pool.world.now());
  return { acks: await takeAll(pool, caller.agentId, results, pool.strangers.among(pool, results)) };
}

/** Results of an agent that was moved to another Pool, which has verified that they are its own. */
export async function takeResultsOfMoved(
  pool: Pool,
  agentId: string,
  results: readonly JobResult[],
): Promise<(LeaseRef & { ack: Ack })[]> {
  heardOfMoved(pool, agentId);
  return takeAll(pool, agentId, results, []);
}

/** What such an agent must stop of what it holds of this Pool. */
export function heldByMoved(pool: Pool, agentId: string, held: readonly LeaseRef[]): LeaseRef[] {
  heardOfMoved(pool, agentId);
  noteHeld(pool, agentId, held, pool.world.now());
  return cancelledHere(pool, agentId, held);
}

function heardOfMoved(pool: Pool, agentId: string): void {
  const agent = pool.agents.get(agentId);
  if (agent !== undefined) pool.agents.heard(agent, "results", pool.world.now());
}

async function takeAll(
  pool: Pool,
  agentId: string,
  results: readonly JobResult[],
  elsewhere: readonly JobResult[],
): Promise<(LeaseRef & { ack: Ack })[]> {
  const limit = new CallLimit(pool);
  const own = results.filter((result) => !elsewhere.includes(result));
  const parts = await Promise.all([
    inTurns(own, CALLS_AT_ONCE, async (result) => {
      const { jobId, lease } = result;
      const ack = await limit.or<Ack>("retry", () => takeResult(pool, agentId, result));
      return { jobId, lease, ack };
    }),
    pool.strangers.acks(pool, agentId, elsewhere, limit),
  ]);
  return parts.flat();
}

async function takeResult(pool: Pool, agentId: string, result: JobResult): Promise<Ack> {
  const { jobId, lease } = result;
  const live = pool.jobs.get(jobId);
  const verdict = judgeLease(live?.job ?? null, pool.jobs.finished(jobId), agentId, result);
  if (verdict === "stale") return refuseStale(pool, agentId, result);
  if (verdict !== "current" || live === undefined) return verdict === "duplicate" ? "duplicate" : "unknown";
  const isFirst = live.busy === null;
  if (isFirst && result.status === "interrupted" && goesOn(live.job)) {
    const name = pool.agents.get(agentId)?.settings.name ?? agentId;
    loseFrom(pool, live, { agentId, loss: "interrupted", what: `Agent ${name} was interrupted at it.` });
    dispatchWaiting(pool);
    return "accepted";
  }
  const report = reportOf(live.job, result, pool.world.now());
  if (!(await settle(pool, live, { report, lease, by: "result" }))) {
    pool.jobs.change(live, showResult(live.job));
    return "retry";
  }
  return isFirst ? "accepted" : "duplicate";
}

/** Recorded, and nothing else: another lease is the valid one, or none is (invariant 2). */
async function refuseStale(pool: Pool, agentId: string, result: JobResult): Promise<Ack> {
  const { jobId, lease } = result;
  try {
    await pool.world.recordStaleResult(agentId, result, pool.world.now());
    return "stale";
  } catch (error) {
    logWarning("a stale result could not be recorded; its agent sends it again", {
      jobId,
      lease,
      error: String(error),
    });
    return "retry";
  }
}
