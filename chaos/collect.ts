import { Database } from "bun:sqlite";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { decodeLines } from "../agent/journal/lines.ts";
import { recordSchema } from "../agent/journal/state.ts";
import { groupBy } from "./checks/violation.ts";
import type { AgentJournal, ExecutionFact, JobFact, LateResultFact, LimitUseFact, NodeRunFact } from "./evidence.ts";
import { tokenIn } from "./script.ts";
import type { ChaosAgent } from "./system.ts";
import type { KindName } from "./workflows.ts";

const failureSchema = z.object({ code: z.string(), message: z.string() });
const jsonText = <T>(shape: z.ZodType<T>) =>
  z.string().transform((text, context) => {
    const read = shape.safeParse(JSON.parse(text));
    if (read.success) return read.data;
    context.addIssue({ code: "custom", message: `not what was expected: ${text.slice(0, 200)}` });
    return z.NEVER;
  });
const errorText = jsonText(failureSchema.nullable()).nullable();
const time = z.number().nullable();

const executionRow = z.object({
  id: z.string(),
  workflow_id: z.string(),
  status: z.string(),
  trigger: jsonText(
    z.union([
      z.object({ variables: z.object({ key: z.string() }) }).transform(({ variables }) => variables.key),
      z.object({ failed: z.object({ executionId: z.string() }) }).transform(({ failed }) => failed.executionId),
      z.object({ incident: z.object({ title: z.string() }) }).transform(({ incident }) => incident.title),
      z.object({ scheduledAt: z.string() }).transform(({ scheduledAt }) => scheduledAt),
    ]),
  ),
  error: errorText,
  concurrency_key: z.string().nullable(),
  suppressed: jsonText(z.object({ windowId: z.string() }).nullable()).nullable(),
  started_at: z.number(),
  begun_at: time,
  finished_at: time,
});
const joinedRow = z.object({ execution_id: z.string(), title: z.string() });
const limitUseRow = z.object({ key: z.string(), execution_id: z.string(), at: z.number() });
const nodeRunRow = z.object({
  id: z.string(),
  execution_id: z.string(),
  node_id: z.string(),
  iteration_path: z.string(),
  status: z.string(),
  error: errorText,
  output: jsonText(z.looseObject({ stdout: z.string().optional() }).nullable().catch(null)).nullable(),
});
const jobRow = z.object({
  id: z.string(),
  execution_id: z.string().nullable(),
  node_run_id: z.string().nullable(),
  action: z.string().nullable(),
  effect: z.string(),
  status: z.string(),
  agent_id: z.string().nullable(),
  attempt: z.number(),
  error: errorText,
  queued_at: z.number(),
  delivered_at: time,
  finished_at: time,
});
const lateRow = z.object({
  job_id: z.string(),
  lease: z.string(),
  agent_id: z.string(),
  status: z.string(),
  received_at: z.number(),
});

/** The events that joined an execution, without the one that started it. */
const JOINED = `SELECT batched_events.execution_id, incident_events.snapshot ->> '$.title' title FROM batched_events
  JOIN executions ON executions.id = batched_events.execution_id
  JOIN incident_events ON incident_events.id = batched_events.trigger_key
  WHERE batched_events.trigger_key <> executions.trigger_key`;

export interface Records {
  executions: ExecutionFact[];
  nodeRuns: NodeRunFact[];
  jobs: JobFact[];
  lateResults: LateResultFact[];
  limitUses: LimitUseFact[];
}

/** The database's records of the load's workflows, read from its file. */
export function readRecords(file: string, kinds: ReadonlyMap<string, KindName>): Records {
  const database = new Database(file);
  try {
    const rows = <T>(shape: z.ZodType<T>, sql: string): T[] => z.array(shape).parse(database.query(sql).all());
    const joined = groupBy(rows(joinedRow, JOINED), ({ execution_id: id }) => id);
    return {
      executions: rows(executionRow, "SELECT * FROM executions").map((row) => ({
        id: row.id,
        kind: kindNamed(kinds, row.workflow_id),
        key: row.trigger,
        joined: (joined.get(row.id) ?? []).map(({ title }) => title),
        concurrencyKey: row.concurrency_key,
        heldBy: row.suppressed?.windowId ?? null,
        status: row.status,
        error: row.error === null ? null : `${row.error.code}: ${row.error.message}`,
        startedAt: row.started_at,
        begunAt: row.begun_at,
        finishedAt: row.finished_at,
      })),
      nodeRuns: rows(
        nodeRunRow,
        "SELECT node_runs.*, output FROM node_runs LEFT JOIN node_run_outputs ON node_run_id = node_runs.id",
      ).map((row) => ({
        id: row.id,
        executionId: row.execution_id,
        nodeId: row.node_id,
        iteration: row.iteration_path,
        status: row.status,
        errorCode: row.error?.code ?? null,
        token: tokenIn(row.output?.stdout ?? ""),
      })),
      jobs: rows(jobRow, "SELECT * FROM jobs").map((row) => ({
        id: row.id,
        executionId: row.execution_id,
        nodeRunId: row.node_run_id,
        action: row.action,
        effect: row.effect,
        status: row.status,
        agentId: row.agent_id,
        attempt: row.attempt,
        errorCode: row.error?.code ?? null,
        queuedAt: row.queued_at,
        deliveredAt: row.delivered_at,
        finishedAt: row.finished_at,
      })),
      lateResults: rows(lateRow, "SELECT * FROM stale_results").map((row) => ({
        jobId: row.job_id,
        lease: row.lease,
        agentId: row.agent_id,
        status: row.status,
        receivedAt: row.received_at,
      })),
      limitUses: rows(limitUseRow, "SELECT * FROM limit_uses").map((row) => ({
        key: row.key,
        executionId: row.execution_id,
        at: row.at,
      })),
    };
  } finally {
    database.close();
  }
}

/** Events that gates accepted and did not start. Call it only while the service is stopped. */
export function readInbox(objectsDirectory: string): string[] {
  const shape = z.array(z.object({ execution_id: z.string() }));
  return [...new Bun.Glob("*WebhookGate/*.sqlite").scanSync(objectsDirectory)]
    .flatMap((file) => {
      const database = new Database(join(objectsDirectory, file));
      try {
        const known = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== null;
        if (!known) return [];
        return shape.parse(database.query("SELECT execution_id FROM events WHERE started = 0").all());
      } finally {
        database.close();
      }
    })
    .map(({ execution_id: id }) => `${id} was accepted and not started`);
}

export async function readJournal(agent: ChaosAgent): Promise<AgentJournal> {
  const bytes = await readFile(join(agent.home, "vault.journal")).catch(() => Buffer.alloc(0));
  const records = decodeLines(bytes).lines.map(({ json }) => recordSchema.parse(JSON.parse(json)));
  return { agent: agent.name, agentId: agent.id, records };
}

function kindNamed(kinds: ReadonlyMap<string, KindName>, workflowId: string): KindName {
  const kind = kinds.get(workflowId);
  if (kind === undefined) throw new Error(`an execution of an unknown workflow: ${workflowId}`);
  return kind;
}
