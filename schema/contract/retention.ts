import { z } from "zod";
import { RETENTION_COUNT_MAX, RETENTION_DAYS_MAX } from "../limits.ts";

/** How long records are kept (docs/retention.md). */
const days = z.int().min(1).max(RETENTION_DAYS_MAX);

export const retentionPeriodsSchema = z.strictObject({
  executionDays: days.describe("Executions that succeeded or were cancelled, from their end."),
  failedDays: days.describe("Executions that failed, from their end."),
  incidentDays: days.describe("Resolved incidents with their events, from their last change."),
  auditDays: days.describe("Entries of the audit log."),
  missedRunDays: days.describe("Missed runs of schedules."),
  deliveryDays: days.describe("Records by which an integration recognizes a repeated delivery, from the last repeat."),
  lateResultDays: days.describe("Results under a lease that was no longer valid."),
});
export type RetentionPeriods = z.infer<typeof retentionPeriodsSchema>;

const { executionDays, failedDays } = retentionPeriodsSchema.shape;

/** The periods of a workflow's executions, in place of those of the deployment. */
export const workflowRetentionSchema = z
  .strictObject({ executionDays: executionDays.optional(), failedDays: failedDays.optional() })
  .refine(
    (periods) => Object.values(periods).some((given) => given !== undefined),
    "must have executionDays or failedDays",
  )
  .describe(
    "How long a workflow's executions are kept; the deployment's period applies for one that is not given. A change applies without publishing, a shorter period after 24 hours.",
  );
export type WorkflowRetention = z.infer<typeof workflowRetentionSchema>;

const executionPeriodsSchema = retentionPeriodsSchema.pick({ executionDays: true, failedDays: true });
export type ExecutionPeriods = z.infer<typeof executionPeriodsSchema>;

export const formerExecutionPeriodsSchema = executionPeriodsSchema
  .extend({ until: z.iso.datetime() })
  .describe("Longer periods that apply until a time, because a shorter one takes effect after 24 hours.");

/** Longer periods, which apply until a time (epoch ms). */
export interface Former<P> {
  periods: P;
  until: number;
}

export const RETAINED_KINDS = ["executions", "incidents", "audit", "missedRuns", "deliveries", "lateResults"] as const;
export type RetainedKind = (typeof RETAINED_KINDS)[number];

/** The kinds that can be exported before their deletion. */
export const EXPORTED_KINDS = ["executions", "audit"] as const satisfies RetainedKind[];
export type ExportedKind = (typeof EXPORTED_KINDS)[number];

const dueSchema = z.object({
  rows: z.int().min(0).describe(`At most ${RETENTION_COUNT_MAX}.`),
  isMore: z.boolean().describe("Whether there are more."),
});
export type DueRows = z.infer<typeof dueSchema>;

export const recordExportSchema = z
  .object({
    kind: z.enum(EXPORTED_KINDS),
    rows: z.int().min(0).describe("Exported since the deployment began."),
    bytes: z.int().min(0),
    exportedAt: z.iso.datetime().nullable(),
    failure: z
      .object({
        since: z.iso.datetime(),
        error: z.string(),
        retryAt: z.iso.datetime().describe("A pass of the minute tries again after this time."),
      })
      .nullable()
      .describe("Why the export fails. Records of this kind are not deleted meanwhile."),
  })
  .describe("The export of a kind before its deletion.");
export type RecordExport = z.infer<typeof recordExportSchema>;

export const retentionSchema = z.object({
  revision: z.int().min(0).describe("Of the periods: it rises with every change of them."),
  periods: retentionPeriodsSchema.describe("The chosen periods. A period that `former` has, too, applies later."),
  former: z
    .object({ periods: retentionPeriodsSchema.partial(), until: z.iso.datetime() })
    .nullable()
    .describe("Longer periods that apply until a time, because a shorter one takes effect after 24 hours."),
  kinds: z.array(
    z.object({
      kind: z.enum(RETAINED_KINDS),
      rows: z.int().min(0).nullable().describe("An estimate; null before the first count."),
      bytes: z.int().min(0).nullable().describe("An estimate with everything that belongs to a row, such as outputs."),
      newPerDay: z.int().min(0).nullable().describe("New rows a day; null until there were two counts, a day apart."),
      oldestAt: z.iso.datetime().nullable(),
      nextDay: dueSchema.describe(
        "Rows to delete until a day from now. Executions are counted with their sub-workflows, and without those that go with a deleted workflow. Running executions are never deleted.",
      ),
      deleted: z.int().min(0).describe("Rows deleted since the deployment began."),
    }),
  ),
  countedAt: z.iso.datetime().nullable().describe("When the rows were last counted: once a day."),
  lastPass: z
    .object({ at: z.iso.datetime(), durationMs: z.int(), rows: z.int() })
    .nullable()
    .describe("The last pass that deleted something, with all its rows."),
  exports: z.array(recordExportSchema).nullable().describe("Null when records are deleted without an export."),
});
export type Retention = z.infer<typeof retentionSchema>;

const daysInQuery = z.coerce.number<string>().pipe(days).optional();

const FOR_ALL = ["incidentDays", "auditDays", "missedRunDays", "deliveryDays", "lateResultDays"] as const;

export const previewRetentionQuerySchema = z
  .strictObject({
    workflowId: z.string().max(64).optional().describe("Only executions of this workflow, as if it had these periods."),
    executionDays: daysInQuery,
    failedDays: daysInQuery,
    incidentDays: daysInQuery,
    auditDays: daysInQuery,
    missedRunDays: daysInQuery,
    deliveryDays: daysInQuery,
    lateResultDays: daysInQuery,
  })
  .superRefine((query, context) => {
    if (query.workflowId === undefined) return;
    for (const name of FOR_ALL) {
      if (query[name] === undefined) continue;
      context.addIssue({ code: "custom", path: [name], message: "belongs to the deployment, not to a workflow" });
    }
  });

export const retentionPreviewSchema = z.object({
  kinds: z.array(z.object({ kind: z.enum(RETAINED_KINDS), due: dueSchema })),
  at: z.iso.datetime().describe("The time of the deletion that was counted: a shorter period takes effect then."),
});
export type RetentionPreview = z.infer<typeof retentionPreviewSchema>;
