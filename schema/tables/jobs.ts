import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Effect } from "../contract/action.ts";
import type { JobKind, JobResultStatus } from "../contract/agent.ts";
import type { JobStatus, LostAssignment } from "../contract/execution.ts";
import type { JsonValue } from "../contract/json.ts";
import type { Failure } from "../contract/problem.ts";
import { json, timeMs } from "./columns.ts";

export const jobs = sqliteTable(
  "jobs",
  {
    id: text("id").primaryKey(),
    executionId: text("execution_id"),
    nodeRunId: text("node_run_id"),
    kind: text("kind").$type<JobKind>().notNull(),
    action: text("action"),
    effect: text("effect").$type<Effect>().notNull(),
    connectionId: text("connection_id"),
    /** The host that it goes to, on a connection with targets, without sensitive values. */
    target: text("target"),
    /** The dispatcher that holds the job: `pool:<id>` or `agent:<id>`. */
    poolObject: text("pool_object").notNull(),
    agentId: text("agent_id"),
    /** `queued` until the job ends: the dispatcher has the stages in between (docs/design/dispatch.md#stages). */
    status: text("status").$type<JobStatus>().notNull(),
    attempt: integer("attempt").notNull(),
    /** The dispatcher's order, so that it can be sent again. */
    order: json<JsonValue>("order").notNull(),
    error: json<Failure>("error"),
    output: json<JsonValue>("output"),
    queuedAt: timeMs("queued_at").notNull(),
    /** The lost assignments; null without any. */
    assignments: json<readonly LostAssignment[]>("assignments"),
    /** When the sweeper saw that the dispatcher has the job. */
    confirmedAt: timeMs("confirmed_at"),
    assignedAt: timeMs("assigned_at"),
    deliveredAt: timeMs("delivered_at"),
    startedAt: timeMs("started_at"),
    finishedAt: timeMs("finished_at"),
    reportedAt: timeMs("reported_at"),
  },
  (table) => [
    // With the status, so that SQLite does not choose `jobs_unconfirmed` and read every job of that status.
    index("jobs_of_execution").on(table.executionId, table.status),
    index("jobs_unconfirmed").on(table.status, table.confirmedAt, table.queuedAt),
    index("jobs_of_connection").on(table.connectionId, table.status),
    // For notification rules: few jobs end so. Tests of connections are few.
    index("jobs_about_logins")
      .on(table.reportedAt, table.id)
      .where(
        sql`"connection_id" is not null and ("kind" = 'connectionTest' or "error" ->> '$.code' = 'authentication_failed')`,
      ),
  ],
);
export type JobRow = typeof jobs.$inferSelect;

/** Results under a lease that was no longer valid: recorded, never applied (invariant 2). */
export const staleResults = sqliteTable(
  "stale_results",
  {
    id: text("id").primaryKey(),
    jobId: text("job_id").notNull(),
    lease: text("lease").notNull(),
    agentId: text("agent_id").notNull(),
    status: text("status").$type<JobResultStatus>().notNull(),
    startedAt: timeMs("started_at"),
    finishedAt: timeMs("finished_at").notNull(),
    receivedAt: timeMs("received_at").notNull(),
  },
  (table) => [index("stale_results_of_job").on(table.jobId), index("stale_results_by_time").on(table.receivedAt)],
);
export type StaleResultRow = typeof staleResults.$inferSelect;
