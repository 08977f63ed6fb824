import type { Ack, JobResult, LeaseRef } from "../../../schema/contract/agent.ts";
import { AGENT_CALL_LIMIT_MS } from "../../../schema/limits.ts";
import { reportOf, showResult } from "../../actors/dispatcher/rules/job.ts";
import { goesOn } from "../../actors/dispatcher/rules/lost-job.ts";
import { judgeLease } from "../../actors/dispatcher/rules/judge-result.ts";
import { logWarning } from "../log.ts";
import type { AgentCaller, PoolRefusal } from "../ports.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";
import { admit } from "./admit.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
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
  const endsAt = pool.world.now() + AGENT_CALL_LIMIT_MS;
  const acks = await inTurns(results, CALLS_AT_ONCE, async (result) => {
    const { jobId, lease } = result;
    return { jobId, lease, ack: await takeUntil(endsAt, pool, caller.agentId, result) };
  });
  return { acks };
}

/** What takes longer stays with the agent, and is taken with its next call. */
async function takeUntil(endsAt: number, pool: Pool, agentId: string, result: JobResult): Promise<Ack> {
  const left = endsAt - pool.world.now();
  if (left <= 0) return "retry";
  try {
    return await withTimeout(left, "taking a result", takeResult(pool, agentId, result));
  } catch (error) {
    logWarning("a result could not be taken in time", { jobId: result.jobId, error: String(error) });
    return "retry";
  }
}

async function takeResult(pool: Pool, agentId: string, result: JobResult): Promise<Ack> {
  const { jobId, lease } = result;
  const live = pool.jobs.get(jobId);
  const verdict = judgeLease(live?.job ?? null, pool.jobs.finished(jobId), agentId, result);
  if (verdict === "duplicate") return verdict;
  if (verdict !== "current" || live === undefined) {
    return refuse(pool, agentId, result, verdict === "stale" ? "stale" : "unknown");
  }
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

/**
 * Recorded, and nothing else: another lease is the valid one, or none is (invariant 2). A job that is unknown here may be
 * one that the agent lost in the Pool that it was in before.
 */
async function refuse(pool: Pool, agentId: string, result: JobResult, ack: "stale" | "unknown"): Promise<Ack> {
  const { jobId, lease } = result;
  try {
    await pool.world.recordStaleResult(agentId, result, pool.world.now());
    return ack;
  } catch (error) {
    logWarning("a stale result could not be recorded; its agent sends it again", {
      jobId,
      lease,
      error: String(error),
    });
    return "retry";
  }
}
