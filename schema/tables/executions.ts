import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ExecutionStatus, ExecutionTrigger, NodeRunStatus } from "../contract/execution.ts";
import type { Approved } from "../contract/approval.ts";
import type { Hold } from "../contract/hold.ts";
import type { RunLimits } from "../contract/limit-group.ts";
import type { Suppressed } from "../contract/maintenance.ts";
import type { JsonObject, JsonValue } from "../contract/json.ts";
import type { Failure } from "../contract/problem.ts";
import type { Outcome } from "../contract/workflow.ts";
import { json, timeMs } from "./columns.ts";

export const executions = sqliteTable(
  "executions",
  {
    id: text("id").primaryKey(),
    workflowId: text("workflow_id").notNull(),
    versionId: text("version_id").notNull(),
    status: text("status").$type<ExecutionStatus>().notNull(),
    trigger: json<ExecutionTrigger>("trigger").notNull(),
    /** The event id, or for cron the UTC minute: one execution for each (docs/design/dispatch.md#runs). */
    triggerKey: text("trigger_key").notNull(),
    /** The gate that waits for this execution's final status. */
    webhookKey: text("webhook_key"),
    revision: integer("revision").notNull(),
    depth: integer("depth").notNull().default(0),
    /** For a sub-workflow: the execution, its workflow (which names its object) and the node run that wait for it. */
    parentExecutionId: text("parent_execution_id"),
    parentWorkflowId: text("parent_workflow_id"),
    parentNodeRunId: text("parent_node_run_id"),
    /** For a sub-workflow: the outermost execution, whose trace it belongs to. */
    rootExecutionId: text("root_execution_id"),
    retryOf: text("retry_of"),
    /**
     * The people who started it, or who started the execution that it repeats or belongs to (`personOf`); empty for
     * events.
     */
    startedBy: json<string[]>("started_by").notNull().default([]),
    /** The state for which the last approval was given; null without one. */
    approved: json<Approved>("approved"),
    error: json<Failure>("error"),
    startedAt: timeMs("started_at").notNull(),
    /** When its first step ran: later than `startedAt`, its event's time, when a part of the system was down. */
    begunAt: timeMs("begun_at"),
    finishedAt: timeMs("finished_at"),
    wakeAt: timeMs("wake_at"),
    /** Why it has not begun yet; null once it has (docs/design/workflows.md#concurrency). */
    hold: json<Hold>("hold"),
    /** At most one open execution of a workflow with this key has begun; null without `concurrency`. */
    concurrencyKey: text("concurrency_key"),
    /** The uses of limit groups that it reserves before its first unsafe action; null without `limits`. */
    limits: json<RunLimits>("limits"),
    /** The maintenance window that kept it from beginning at its start; it stays when the execution has begun. */
    suppressed: json<Suppressed>("suppressed"),
    /** The newer execution that takes its place: no further node begins. */
    supersededBy: text("superseded_by"),
  },
  (table) => [
    uniqueIndex("executions_trigger_key").on(table.workflowId, table.triggerKey),
    index("executions_by_workflow").on(table.workflowId, table.id),
    index("executions_by_workflow_and_status").on(table.workflowId, table.status, table.id),
    index("executions_by_status").on(table.status, table.id),
    index("executions_due").on(table.wakeAt),
    index("executions_by_trigger").on(sql`("trigger" ->> '$.type')`, table.id),
    index("executions_by_start").on(table.startedAt, table.id),
    index("executions_by_parent").on(table.parentNodeRunId),
    // For retention: what goes with an execution.
    index("executions_by_parent_execution")
      .on(table.parentExecutionId)
      .where(sql`${table.parentExecutionId} is not null`),
    index("executions_by_retry")
      .on(table.retryOf)
      .where(sql`${table.retryOf} is not null`),
    // For retention: sub-workflows go with the execution that started them.
    index("executions_ended_roots")
      .on(table.workflowId, table.status, table.finishedAt)
      .where(sql`${table.parentExecutionId} is null and ${table.finishedAt} is not null`),
    // For notification rules: executions that succeed have no entry. With the status, or SQLite takes the one by status.
    index("executions_failed_roots")
      .on(table.status, table.finishedAt, table.id)
      .where(
        sql`${table.parentExecutionId} is null and ${table.status} = 'failed' and ${table.finishedAt} is not null`,
      ),
    // For notification rules: the row of failures of each key.
    index("executions_ended_by_key")
      .on(table.workflowId, table.concurrencyKey, table.status, table.finishedAt)
      .where(
        sql`${table.concurrencyKey} is not null and ${table.parentExecutionId} is null and ${table.finishedAt} is not null`,
      ),
    uniqueIndex("executions_begun_by_key")
      .on(table.workflowId, table.concurrencyKey)
      .where(sql`${table.concurrencyKey} is not null and ${table.status} = 'running' and ${table.hold} is null`),
    index("executions_held")
      .on(table.workflowId, table.concurrencyKey)
      .where(sql`${table.hold} is not null`),
    // One open window for each key of a workflow.
    uniqueIndex("executions_collecting")
      .on(table.workflowId, sql`("hold" ->> '$.key')`)
      .where(sql`"hold" ->> '$.code' = 'collecting'`),
    index("executions_in_maintenance")
      .on(table.id)
      .where(sql`"hold" ->> '$.code' = 'maintenance'`),
    // Those that wait for a person.
    index("executions_asked")
      .on(table.startedAt)
      .where(sql`"hold" ->> '$.code' = 'maintenance' and "hold" ->> '$.until' is null`),
    index("executions_suppressed")
      .on(sql`("suppressed" ->> '$.windowId')`, table.id)
      .where(sql`"suppressed" is not null`),
    index("executions_open_by_key")
      .on(table.workflowId, table.concurrencyKey, table.id)
      .where(sql`${table.concurrencyKey} is not null and ${table.status} = 'running'`),
  ],
);
export type ExecutionRow = typeof executions.$inferSelect;

/**
 * The incident events that an execution was started by, in the order in which they joined. The row that ends a batch has
 * no event: a later event finds its position taken (docs/design/workflows.md#coalescing).
 */
export const batchedEvents = sqliteTable(
  "batched_events",
  {
    executionId: text("execution_id").notNull(),
    position: integer("position").notNull(),
    workflowId: text("workflow_id").notNull(),
    /** The event's id. */
    triggerKey: text("trigger_key"),
    /** Null once the execution has it. */
    snapshot: json<JsonObject>("snapshot"),
  },
  (table) => [
    primaryKey({ columns: [table.executionId, table.position] }),
    uniqueIndex("batched_events_trigger_key")
      .on(table.triggerKey, table.workflowId)
      .where(sql`${table.triggerKey} is not null`),
  ],
);

/** One row per step. Its primary key makes a repeated batch fail as a whole (docs/design/dispatch.md#runs). */
export const executionEvents = sqliteTable(
  "execution_events",
  {
    executionId: text("execution_id").notNull(),
    revision: integer("revision").notNull(),
    type: text("type").notNull(),
    at: timeMs("at").notNull(),
    data: json<JsonValue>("data"),
  },
  (table) => [primaryKey({ columns: [table.executionId, table.revision] })],
);

/** Failed executions whose failure workflows may not all have started (docs/design/workflows.md#failure-workflows). */
export const unreportedFailures = sqliteTable(
  "unreported_failures",
  {
    executionId: text("execution_id").primaryKey(),
    /** The minute's tick leaves the failure alone until this time. */
    notBefore: timeMs("not_before").notNull().default(0),
  },
  (table) => [index("unreported_failures_by_time").on(table.notBefore)],
);

export const nodeRuns = sqliteTable(
  "node_runs",
  {
    id: text("id").primaryKey(),
    executionId: text("execution_id").notNull(),
    nodeId: text("node_id").notNull(),
    /** Iteration indexes from the outermost forEach inwards, joined by dots; empty outside any. */
    iterationPath: text("iteration_path").notNull().default(""),
    status: text("status").$type<NodeRunStatus>().notNull(),
    outcome: text("outcome").$type<Outcome>(),
    attempt: integer("attempt").notNull().default(1),
    jobId: text("job_id"),
    /** The sub-workflow's execution, for a node of type workflow. */
    childExecutionId: text("child_execution_id"),
    /**
     * The execution's revision of the last change of this row: readers that follow an execution read only newer rows.
     */
    revision: integer("revision").notNull().default(0),
    error: json<Failure>("error"),
    /** Problems with its templates; null without problems. */
    warnings: json<readonly string[]>("warnings"),
    wakeAt: timeMs("wake_at"),
    queuedAt: timeMs("queued_at"),
    assignedAt: timeMs("assigned_at"),
    deliveredAt: timeMs("delivered_at"),
    startedAt: timeMs("started_at"),
    finishedAt: timeMs("finished_at"),
    reportedAt: timeMs("reported_at"),
  },
  (table) => [
    uniqueIndex("node_runs_of_execution").on(table.executionId, table.nodeId, table.iterationPath),
    // Those that wait for a person. Actions have a job, delays are never queued: neither costs an entry here.
    index("node_runs_asking")
      .on(table.queuedAt, table.id)
      .where(sql`${table.status} = 'waiting' and ${table.jobId} is null and ${table.queuedAt} is not null`),
  ],
);
export type NodeRunRow = typeof nodeRuns.$inferSelect;

/** Outputs, up to 512 KiB each, kept apart so that lists stay light (docs/design/limits.md#outputs). */
export const nodeRunOutputs = sqliteTable(
  "node_run_outputs",
  {
    nodeRunId: text("node_run_id").primaryKey(),
    executionId: text("execution_id").notNull(),
    output: json<JsonValue>("output"),
  },
  (table) => [index("node_run_outputs_of_execution").on(table.executionId)],
);
