import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { MissedReason } from "../contract/cron.ts";
import type { ExecutionPeriods, Former, WorkflowRetention } from "../contract/retention.ts";
import type { FieldError } from "../contract/problem.ts";
import type { PayloadNames } from "../contract/webhook-trigger.ts";
import type { OldSecret, WebhookVerification } from "../contract/webhook-verification.ts";
import type { Definition, Trigger, TriggerType } from "../contract/workflow.ts";
import { flag, json, timeMs } from "./columns.ts";

const workflowColumns = {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  description: text("description"),
  runbookUrl: text("runbook_url"),
  tags: json<string[]>("tags").notNull().default([]),
  /**
   * The draft; the version in `publishedVersionId` is the one that runs. It has the shape of
   * `schema/contract/workflow-draft.ts`, and may have problems.
   */
  trigger: json<Trigger>("trigger").notNull(),
  definition: json<Definition>("definition").notNull(),
  retention: json<WorkflowRetention>("retention"),
  /** The longer periods that still apply; null when none was made shorter. */
  retentionFormer: json<Former<ExecutionPeriods>>("retention_former"),
  /** The draft's problems when it was last saved. */
  problems: json<FieldError[]>("problems").notNull().default([]),
  /** Who changed the draft since its last publication (`personOf`). */
  changedBy: json<string[]>("changed_by").notNull().default([]),
  publishedVersionId: text("published_version_id"),
  /** The type of the published trigger, so that a tick or an event finds its workflows by index. */
  publishedTriggerType: text("published_trigger_type").$type<TriggerType>(),
  /** What templates read of a webhook's request, by the published trigger; null for its variables alone. */
  publishedPayload: json<PayloadNames>("published_payload"),
  active: flag("active").notNull().default(false),
  consecutiveFailures: integer("consecutive_failures").notNull().default(0),
  autoDisabledAt: timeMs("auto_disabled_at"),
  autoDisableReason: text("auto_disable_reason"),
  nextRunAt: timeMs("next_run_at"),
  webhookKey: text("webhook_key"),
  /** What the secret is checked with: its bcrypt hash, or for HMAC the sealed secret (`sealText`). */
  webhookSecretHash: text("webhook_secret_hash"),
  /** Null for a bearer token. */
  webhookVerification: json<WebhookVerification>("webhook_verification"),
  /** The secrets before it, and until when each is valid (epoch ms). Earlier versions stored one. */
  webhookOldSecret: json<OldSecret | readonly OldSecret[]>("webhook_old_secret"),
  /** Null for the default. */
  webhookRequestsPerMinute: integer("webhook_requests_per_minute"),
  /** Rises with every change that the webhook gate must know (docs/design/dispatch.md#two-stores). */
  gateEpoch: integer("gate_epoch").notNull().default(0),
  /** The last epoch that the gate has confirmed; the sweeper sends newer settings again. */
  gatePushedEpoch: integer("gate_pushed_epoch").notNull().default(0),
  revision: integer("revision").notNull().default(1),
  createdAt: timeMs("created_at").notNull(),
  updatedAt: timeMs("updated_at").notNull(),
};

export const workflows = sqliteTable("workflows", workflowColumns, (table) => [
  uniqueIndex("workflows_webhook_key").on(table.webhookKey),
  index("workflows_due").on(table.publishedTriggerType, table.active, table.nextRunAt),
  index("workflows_gate_behind").on(table.gatePushedEpoch, table.gateEpoch),
  index("workflows_switched_off")
    .on(table.autoDisabledAt)
    .where(sql`${table.autoDisabledAt} is not null`),
]);
export type WorkflowRow = typeof workflows.$inferSelect;

/** A day's deleted workflows as they were, so that one can be restored. No other query meets them. */
export const deletedWorkflows = sqliteTable(
  "deleted_workflows",
  {
    ...workflowColumns,
    deletedAt: timeMs("deleted_at").notNull(),
    /** Its records are being deleted, so it can no longer be restored. */
    final: flag("final").notNull().default(false),
    /** Whether its executions go by retention. */
    keepsExecutions: flag("keeps_executions").notNull().default(false),
  },
  (table) => [index("deleted_workflows_by_time").on(table.final, table.deletedAt)],
);
export type DeletedWorkflowRow = typeof deletedWorkflows.$inferSelect;

export const workflowVersions = sqliteTable(
  "workflow_versions",
  {
    id: text("id").primaryKey(),
    workflowId: text("workflow_id").notNull(),
    number: integer("number").notNull(),
    trigger: json<Trigger>("trigger").notNull(),
    definition: json<Definition>("definition").notNull(),
    publishedAt: timeMs("published_at").notNull(),
    publishedBy: text("published_by").notNull(),
    /** The person who published it (`personOf`); null when unknown. */
    publishedByPerson: text("published_by_person"),
    /** The publisher's reason; null without one. */
    message: text("message"),
    /** Who changed the draft between the previous version and this one. */
    changedBy: json<string[]>("changed_by").notNull().default([]),
  },
  (table) => [uniqueIndex("workflow_versions_number").on(table.workflowId, table.number)],
);
export type WorkflowVersionRow = typeof workflowVersions.$inferSelect;

/** Runs that were due and did not run, one row for each span: see `missedReasonSchema`. */
export const missedRuns = sqliteTable(
  "missed_runs",
  {
    workflowId: text("workflow_id").notNull(),
    /** The first and the last minute of the gap (epoch ms), and the number of minutes. */
    firstDueAt: timeMs("first_due_at").notNull(),
    lastDueAt: timeMs("last_due_at").notNull(),
    count: integer("count").notNull(),
    recordedAt: timeMs("recorded_at").notNull(),
    reason: text("reason").$type<MissedReason>().notNull().default("late"),
  },
  (table) => [
    primaryKey({ columns: [table.workflowId, table.firstDueAt] }),
    index("missed_runs_by_time").on(table.recordedAt),
  ],
);
export type MissedRunRow = typeof missedRuns.$inferSelect;
