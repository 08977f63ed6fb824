import { workflowSchema } from "../../schema/contract/management.ts";
import type { WorkflowView } from "../../schema/contract/management.ts";
import type { Bellhop } from "./bellhop.ts";
import { call, createConnection, createWorkflow, dataOf, verb } from "./management-api.ts";
import { query } from "./database.ts";

/** Shared by tests of schedules. A tick's time may be ahead of the clock, so no test waits for a minute. */

/** A graph that succeeds immediately, with any trigger. */
export const SUCCEEDS = {
  nodes: [
    {
      id: "only",
      type: "forEach",
      items: "[]",
      body: { nodes: [{ id: "pause", type: "delay", seconds: 1 }], edges: [] },
    },
  ],
  edges: [],
};

export interface ScheduledRow {
  id: string;
  status: string;
  scheduledAt: string;
}

/** A published, active workflow with a schedule; returns its next due time. */
export async function createSchedule(
  bellhop: Bellhop,
  trigger: { expression?: string; timezone?: string } = {},
  definition: object = SUCCEEDS,
): Promise<WorkflowView> {
  const { id } = await createWorkflow(bellhop, {
    trigger: { type: "cron", expression: "* * * * *", ...trigger },
    definition,
  });
  await verb(bellhop, id, "publish");
  return verb(bellhop, id, "activate");
}

/** A graph of one script on a new pool. While its connection is disabled, it fails immediately. */
export async function scriptGraph(bellhop: Bellhop) {
  const poolId = `pool-${crypto.randomUUID()}`;
  const { id: connectionId } = await createConnection(bellhop, { poolId });
  const node = { id: "run", type: "action", action: "script.bash", connectionId, params: { script: "id" } };
  return { poolId, connectionId, definition: { nodes: [node], edges: [] } };
}

export async function getWorkflow(bellhop: Bellhop, id: string): Promise<WorkflowView> {
  return dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
}

/** The next due time (epoch ms). Fails without one. */
export async function nextRunOf(bellhop: Bellhop, id: string): Promise<number> {
  const { nextRunAt } = await getWorkflow(bellhop, id);
  if (nextRunAt === null) throw new Error(`workflow ${id} has no next run`);
  return Date.parse(nextRunAt);
}

/** Ticks when a workflow is due, or some milliseconds later. */
export async function tickWhenDue(bellhop: Bellhop, id: string, lateMs = 0): Promise<number> {
  const dueAt = await nextRunOf(bellhop, id);
  await bellhop.worker.tick(new Date(dueAt + lateMs));
  return dueAt;
}

/** The schedule's executions, in the order of their minutes. */
export async function scheduledRuns(bellhop: Bellhop, workflowId: string): Promise<ScheduledRow[]> {
  const rows = await query(
    bellhop,
    `select id, status, trigger ->> 'scheduledAt' as scheduledAt from executions
      where workflow_id = ? and trigger ->> 'type' = 'cron' order by scheduledAt`,
    [workflowId],
  );
  return rows.map((row) => ({
    id: String(row["id"]),
    status: String(row["status"]),
    scheduledAt: String(row["scheduledAt"]),
  }));
}

/**
 * Moves a schedule past the minutes that it has already run: tests tick ahead of the clock, an activation starts again
 * at the clock's time, and no minute runs twice.
 */
export async function passStartedRuns(bellhop: Bellhop, workflowId: string): Promise<void> {
  const last = (await scheduledRuns(bellhop, workflowId)).at(-1);
  if (last === undefined) return;
  await query(bellhop, "update workflows set next_run_at = ? where id = ?", [
    Date.parse(last.scheduledAt) + 60_000,
    workflowId,
  ]);
}

export async function failuresOf(bellhop: Bellhop, workflowId: string): Promise<number> {
  const [row] = await query(bellhop, "select consecutive_failures as n from workflows where id = ?", [workflowId]);
  return Number(row?.["n"]);
}
