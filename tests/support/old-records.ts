import { createClient } from "@libsql/client/web";
import type { InStatement } from "@libsql/client/web";
import type { Service } from "./bellhop.ts";

/** Records of any age, written directly into the database of a service. */

export const DAY_MS = 24 * 60 * 60_000;

export async function write(
  service: { libsql: Pick<Service["libsql"], "url"> },
  statements: InStatement[],
): Promise<void> {
  const client = createClient({ url: service.libsql.url });
  try {
    await client.batch(statements, "write");
  } finally {
    client.close();
  }
}

export interface OldExecution {
  id: string;
  workflowId: string;
  status?: string;
  /** Epoch ms; null while it runs. */
  finishedAt: number | null;
  wakeAt?: number | null;
  triggerKey?: string;
  /** The execution whose node run started it. */
  parent?: string;
}

/** An execution with two events, two node runs, an output, a job and a late result. */
export function oldExecution(execution: OldExecution): InStatement[] {
  const { id, workflowId, status = "succeeded", finishedAt, wakeAt = null, triggerKey = id, parent = null } = execution;
  const at = finishedAt ?? 1;
  return [
    {
      sql: `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at,
        finished_at, wake_at, parent_execution_id, parent_node_run_id) values (?, ?, 'ver_1', ?, '{"type":"manual"}', ?, 2, ?, ?, ?, ?, ?)`,
      args: [id, workflowId, status, triggerKey, at, finishedAt, wakeAt, parent, parent && `first-${parent}`],
    },
    ...[1, 2].map((revision) => ({
      sql: "insert into execution_events (execution_id, revision, type, at) values (?, ?, 'test', ?)",
      args: [id, revision, at],
    })),
    ...["first", "second"].map((node) => ({
      sql: "insert into node_runs (id, execution_id, node_id, status) values (?, ?, ?, 'succeeded')",
      args: [`${node}-${id}`, id, node],
    })),
    {
      sql: "insert into node_run_outputs (node_run_id, execution_id, output) values (?, ?, '{}')",
      args: [`first-${id}`, id],
    },
    {
      sql: `insert into jobs (id, execution_id, kind, effect, pool_object, status, attempt, "order", queued_at)
        values (?, ?, 'action', 'read', 'pool:x', 'succeeded', 1, '{}', ?)`,
      args: [`job-${id}`, id, at],
    },
    lateResult(`late-${id}`, `job-${id}`, at),
  ];
}

export function lateResult(id: string, jobId: string, receivedAt: number): InStatement {
  return {
    sql: "insert into stale_results (id, job_id, lease, agent_id, status, finished_at, received_at) values (?, ?, 'l', 'a', 'succeeded', 1, ?)",
    args: [id, jobId, receivedAt],
  };
}

/** The tables of which an execution has rows. */
export const PARTS = ["execution_events", "node_runs", "node_run_outputs", "jobs"] as const;
