import type { AgentJobOrder } from "../../worker/domain/job-order.ts";
import type { DispatcherRpc } from "../../worker/services/ports.ts";
import { query } from "./database.ts";
import type { Bellhop } from "./bellhop.ts";
import { objectNamed } from "./bellhop-object.ts";
import { order } from "./dispatcher-harness.ts";

/** A dispatcher in the running workerd, as other objects reach it. */
export function dispatcherObject(bellhop: Bellhop, name: string): Promise<DispatcherRpc> {
  return objectNamed(bellhop, "DISPATCHER", name);
}

/** A job without an execution, so that its end is in its own row of libSQL. Makes the row, too. */
export async function enqueueJob(bellhop: Bellhop, jobId: string, changes: Partial<AgentJobOrder>): Promise<void> {
  const job = await recordJob(bellhop, jobId, changes);
  await (await dispatcherObject(bellhop, job.poolObject)).enqueue([job]);
}

/** Makes the same row; the dispatcher does not know the job yet. */
export async function recordJob(
  bellhop: Bellhop,
  jobId: string,
  changes: Partial<AgentJobOrder>,
): Promise<AgentJobOrder> {
  const job = order(jobId, { executionId: null, workflowId: null, nodeRunId: null, queuedAt: Date.now(), ...changes });
  await query(
    bellhop,
    `INSERT INTO jobs (id, kind, effect, pool_object, status, attempt, "order", queued_at)
      VALUES (?, ?, ?, ?, 'queued', ?, ?, ?)`,
    [job.jobId, job.kind, job.effect, job.poolObject, job.attempt, JSON.stringify(job), job.queuedAt],
  );
  return job;
}
