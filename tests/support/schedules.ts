import { workflowSchema } from "../../schema/contract/management.ts";
import type { WorkflowView } from "../../schema/contract/management.ts";
import type { Bellhop } from "./bellhop.ts";
import { call, createConnection, createWorkflow, dataOf, verb } from "./management-api.ts";
import { query } from "./webhooks.ts";

/** What tests of schedules share. A tick's time may lie ahead of the clock, so no test waits for a minute. */

/** A graph that succeeds as soon as it starts. */
export const SUCCEEDS = {
  nodes: [{ id: "only", type: "condition", when: { logic: "all", conditions: [] } }],
  edges: [],
};

export interface ScheduledRow {
  id: string;
  status: string;
  scheduledAt: string;
}

/** A published, active workflow with a schedule; it shows when it is next due. */
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

/** A graph of one script on a pool of its own. While its connection is disabled, it fails as soon as it starts. */
export async function scriptGraph(bellhop: Bellhop) {
  const poolId = `pool-${crypto.randomUUID()}`;
  const { id: connectionId } = await createConnection(bellhop, { poolId });
  const node = { id: "run", type: "action", action: "script.bash", connectionId, params: { script: "id" } };
  return { poolId, connectionId, definition: { nodes: [node], edges: [] } };
}

export async function getWorkflow(bellhop: Bellhop, id: string): Promise<WorkflowView> {
  return dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
}

/** When it is next due (epoch ms). Fails when it is not. */
export async function nextRunOf(bellhop: Bellhop, id: string): Promise<number> {
  const { nextRunAt } = await getWorkflow(bellhop, id);
  if (nextRunAt === null) throw new Error(`workflow ${id} has no next run`);
  return Date.parse(nextRunAt);
}

/** Ticks at the moment at which a workflow is due, or some milliseconds later. */
export async function tickWhenDue(bellhop: Bellhop, id: string, lateMs = 0): Promise<number> {
  const dueAt = await nextRunOf(bellhop, id);
  await bellhop.worker.tick(new Date(dueAt + lateMs));
  return dueAt;
}

/** What the schedule has started, in the order of its minutes. */
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
 * Puts a schedule behind the minutes that it has run at already: tests tick ahead of the clock, and an activation begins
 * again at the clock's time, of which no minute runs twice.
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
