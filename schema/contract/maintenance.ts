import { z } from "zod";
import { MAINTENANCE_ENTRIES_MAX, MAINTENANCE_REASON_MAX_CHARS, MAINTENANCE_WINDOW_MAX_MS } from "../limits.ts";
import { executionSummarySchema } from "./execution.ts";
import { INCIDENT_TEXT_MAX_CHARS } from "./incident.ts";
import { cursor } from "./management.ts";
import { isPlainText, nameSchema } from "./name.ts";
import { limit } from "./query.ts";
import { workflowTagSchema } from "./workflow-tags.ts";

/** Maintenance windows (docs/operations.md#maintenance-windows). */
export const maintenanceModeSchema = z
  .enum(["hold", "skip", "ask"])
  .describe(
    "What becomes of a run that an event or a schedule starts. `hold`: it begins when the window ends. `skip`: it ends as cancelled. `ask`: it waits until a person runs it, also after the window.",
  );
export type MaintenanceMode = z.infer<typeof maintenanceModeSchema>;

/** What a window did with a run. */
export const suppressedAsSchema = z.enum(["held", "asked", "skipped"]);
export type SuppressedAs = z.infer<typeof suppressedAsSchema>;
export const suppressedSchema = z.object({
  windowId: z.string(),
  as: suppressedAsSchema,
  /** The key of the run, as `key` of an execution; absent without one. */
  key: z.string().optional(),
});
export type Suppressed = z.infer<typeof suppressedSchema>;

/** Planned: it has not begun. */
export const maintenanceStateSchema = z.enum(["planned", "open", "ended"]);
export type MaintenanceState = z.infer<typeof maintenanceStateSchema>;

const listOf = <T extends z.ZodType>(entry: T) => z.array(entry).max(MAINTENANCE_ENTRIES_MAX).default([]);
const time = z.iso.datetime({ offset: true });

export const setMaintenanceWindowSchema = z
  .strictObject({
    name: nameSchema,
    reason: z
      .string()
      .trim()
      .max(MAINTENANCE_REASON_MAX_CHARS)
      .refine(isPlainText, "must not contain line breaks, control characters or text direction marks")
      .nullish(),
    startsAt: time,
    endsAt: time.describe("The window is open from `startsAt` until before `endsAt`, at most 90 days."),
    mode: maintenanceModeSchema,
    everything: z.boolean().default(false).describe("True: the window applies to every workflow."),
    workflowIds: listOf(z.string().min(1).max(64)).describe("It applies to these workflows,"),
    tags: listOf(workflowTagSchema).describe("to workflows with one of these tags,"),
    services: listOf(z.string().trim().min(1).max(INCIDENT_TEXT_MAX_CHARS)).describe(
      "and to events about one of these services, in any spelling of upper and lower case: `service` of an incident, or of a webhook's variables or JSON body, the service as Alertmanager, Grafana, PagerDuty and GitHub (a repository) send it, or the run's `key`.",
    ),
  })
  .superRefine(({ startsAt, endsAt, everything, workflowIds, tags, services }, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const spanMs = Date.parse(endsAt) - Date.parse(startsAt);
    if (spanMs <= 0) wrong("endsAt", "must be after startsAt");
    if (spanMs > MAINTENANCE_WINDOW_MAX_MS) wrong("endsAt", "must be at most 90 days after startsAt");
    const named = workflowIds.length + tags.length + services.length;
    if (everything && named > 0)
      wrong("everything", "cannot be true with workflowIds, tags or services: leave them out");
    if (!everything && named === 0) {
      wrong("everything", "must be true, or workflowIds, tags or services must name what the window applies to");
    }
  });
export type SetMaintenanceWindow = z.infer<typeof setMaintenanceWindowSchema>;

export const maintenanceWindowSchema = z.object({
  id: z.string(),
  name: z.string(),
  reason: z.string().nullable(),
  startsAt: z.iso.datetime(),
  endsAt: z.iso.datetime(),
  mode: maintenanceModeSchema,
  everything: z.boolean(),
  workflowIds: z.array(z.string()),
  tags: z.array(z.string()),
  services: z.array(z.string()),
  state: maintenanceStateSchema,
  /** Rises with every edit; the first part of the `ETag`. */
  revision: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type MaintenanceWindowView = z.infer<typeof maintenanceWindowSchema>;

export const listMaintenanceWindowsQuerySchema = z.object({
  state: maintenanceStateSchema.optional().describe("Only windows in this state."),
  limit,
  cursor,
});

export const suppressedExecutionSchema = executionSummarySchema.extend({
  suppressed: suppressedAsSchema,
  ranAs: z
    .string()
    .nullable()
    .describe(
      "The execution that ran: its own id once it has begun, for a skipped one the id of the execution that a person started for it. Null: nothing ran.",
    ),
});
export type SuppressedExecution = z.infer<typeof suppressedExecutionSchema>;

export const beginSuppressedSchema = z.strictObject({
  after: z.string().max(64).optional().describe("`next` of the previous answer."),
});
export const begunSuppressedSchema = z.object({
  begun: z.int().describe("How many executions this call began or started again."),
  failed: z.array(z.object({ executionId: z.string(), detail: z.string() })),
  next: z.string().nullable().describe("Null: it was the last part. Otherwise send it as `after` for the next part."),
});
export type BegunSuppressed = z.infer<typeof begunSuppressedSchema>;
