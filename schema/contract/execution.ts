import { z } from "zod";
import { jobKindSchema, jobResultStatusSchema } from "./agent.ts";
import { effectSchema } from "./action.ts";
import { jsonObjectSchema, jsonValueSchema } from "./json.ts";
import { failureSchema } from "./problem.ts";
import { waitingSchema } from "./waiting.ts";
import { outcomeSchema } from "./workflow.ts";

/** Executions, node runs and jobs of the API (docs/design/workflows.md#executions). */
export const executionStatusSchema = z.enum(["running", "succeeded", "failed", "cancelled"]);
export type ExecutionStatus = z.infer<typeof executionStatusSchema>;

export function isTerminalExecution(status: ExecutionStatus): boolean {
  return status !== "running";
}

export const nodeRunStatusSchema = z.enum([
  "pending",
  "waiting",
  "running",
  "succeeded",
  "failed",
  "timed_out",
  "skipped",
  "cancelled",
]);
export type NodeRunStatus = z.infer<typeof nodeRunStatusSchema>;

export function isTerminalNodeRun(status: NodeRunStatus): boolean {
  return status !== "pending" && status !== "waiting" && status !== "running";
}

/** A `queued` job waits for an agent, an `assigned` job for that agent's poll, a `delivered` job is on the agent. */
export const jobStatusSchema = z.enum([
  "queued",
  "assigned",
  "delivered",
  "running",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
]);
export type JobStatus = z.infer<typeof jobStatusSchema>;

export function isTerminalJob(status: JobStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "timed_out" || status === "cancelled";
}

/** When a job reached each stage; null for a stage that it did not reach (docs/design/dispatch.md#stages). */
export const timelineSchema = z.object({
  queuedAt: z.iso.datetime().nullable(),
  assignedAt: z.iso.datetime().nullable(),
  deliveredAt: z.iso.datetime().nullable(),
  startedAt: z.iso
    .datetime()
    .nullable()
    .describe(
      "While the job runs, the time when it was last sent to its agent; with the result, the time when the agent began it.",
    ),
  finishedAt: z.iso.datetime().nullable(),
  reportedAt: z.iso.datetime().nullable(),
});
export type Timeline = z.infer<typeof timelineSchema>;

const sensitive = z
  .array(z.string())
  .optional()
  .describe("The variables, or paths in them, whose values are hidden: `***`. Absent without any.");

/** The event that started an execution, as templates see it. */
export const executionTriggerSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("webhook"), variables: jsonObjectSchema, sensitive }),
  z.object({ type: z.literal("manual"), variables: jsonObjectSchema, by: z.string().nullable(), sensitive }),
  z.object({ type: z.literal("incident"), incident: jsonObjectSchema }),
  z.object({ type: z.literal("cron"), scheduledAt: z.iso.datetime() }),
  z.object({
    type: z.literal("failure"),
    failed: jsonObjectSchema.describe("The failed execution, as templates see it: `failed.<field>`."),
  }),
  z.object({
    type: z.literal("workflow"),
    variables: jsonObjectSchema,
    parentExecutionId: z.string(),
    sensitive,
  }),
]);
export type ExecutionTrigger = z.infer<typeof executionTriggerSchema>;
export const executionTriggerTypeSchema = z.enum([
  "webhook",
  "manual",
  "incident",
  "cron",
  "failure",
  "workflow",
]) satisfies z.ZodType<ExecutionTrigger["type"]>;
export type ExecutionTriggerType = z.infer<typeof executionTriggerTypeSchema>;

/** For node runs and jobs. The number of `assignments` is different. */
const OUTPUT =
  "If it was cut, an action's output has `truncated: true`, and `droppedBytes` if the agent knows how many bytes are missing. Older agents do not send `droppedBytes`.";
const TARGET = "The host that the job goes to, on a connection with `targets`; otherwise null.";
const ATTEMPT =
  "The node's attempt, as its `retry` counts: 1 for the first. Each attempt has a separate job. A lost job that another agent gets is still the same attempt.";

export const nodeRunSchema = z.object({
  id: z.string(),
  nodeId: z.string(),
  /** In a forEach: the item's index; below, the indexes from the outermost forEach inwards. */
  index: z.int().optional(),
  iteration: z.array(z.int()).optional(),
  status: nodeRunStatusSchema,
  /** The kind of the edge by which it left; null before that, and when it was skipped. */
  outcome: outcomeSchema.nullable(),
  attempt: z.int().describe(ATTEMPT),
  jobId: z.string().nullable(),
  /** The execution of a sub-workflow. */
  childExecutionId: z.string().nullable(),
  output: jsonValueSchema.nullable().describe(OUTPUT),
  error: failureSchema.nullable(),
  /** Problems with its templates, such as a path that leads below a text. Absent without problems. */
  warnings: z.array(z.string()).optional(),
  /** What this node run waits for, as a message; null when it does not wait. */
  waitingFor: z.string().nullable(),
  waiting: waitingSchema.nullable(),
  timeline: timelineSchema,
});
export type NodeRunView = z.infer<typeof nodeRunSchema>;

export const executionSummarySchema = z.object({
  id: z.string(),
  workflowId: z.string(),
  versionId: z.string(),
  status: executionStatusSchema,
  isWaiting: z
    .boolean()
    .optional()
    .describe(
      "In lists: whether it waits for its turn, or one of its steps for an agent, a person or a time. Absent elsewhere: `waiting` and `nodeRuns` of one execution say it, and in event streams a job can get its agent without an event.",
    ),
  key: z
    .string()
    .optional()
    .describe(
      "What it is about, such as a service: its key of one run at a time, or else of its limit. Absent without one.",
    ),
  trigger: executionTriggerSchema,
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  error: failureSchema.nullable(),
  /** Rises with every change; `Last-Event-ID` refers to it. */
  revision: z.int(),
  /** The execution that this one repeats; below, the execution whose sub-workflow it is. */
  retryOf: z.string().nullable(),
  parentExecutionId: z.string().nullable(),
  waiting: waitingSchema.optional().describe("Why it has not begun yet; absent once it has."),
  supersededBy: z
    .string()
    .optional()
    .describe(
      "The newer execution that takes its place. It begins no further step, and ends with the actions that still run; absent once it has ended.",
    ),
});
export type ExecutionSummary = z.infer<typeof executionSummarySchema>;

export const executionSchema = executionSummarySchema.extend({ nodeRuns: z.array(nodeRunSchema) });
export type ExecutionView = z.infer<typeof executionSchema>;

/**
 * A result that came when the agent no longer had the job: recorded, never applied. `startedAt` and `finishedAt` are as
 * the agent reported them.
 */
export const lateResultSchema = z.object({
  agentId: z.string(),
  status: jobResultStatusSchema,
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime(),
  reportedAt: z.iso.datetime(),
});
export type LateResult = z.infer<typeof lateResultSchema>;

/** One stored delivery of a job to an agent that did not end it. Times are epoch ms. */
export type LostAssignment = {
  agentId: string;
  deliveredAt: number;
  startedAt: number | null;
  lostAt: number;
  why: string;
};

/** One delivery of a job to an agent. */
export const assignmentSchema = z.object({
  agentId: z.string(),
  /** Null for an agent that no longer exists. */
  agentName: z.string().nullable(),
  attempt: z
    .int()
    .describe(
      "The place in `assignments`: 1 for the first agent that had the job. It does not count retries of the node.",
    ),
  deliveredAt: z.iso.datetime(),
  startedAt: z.iso
    .datetime()
    .nullable()
    .describe("For a lost job: null if the agent never reported that it has the job, so it may not have begun."),
  lostAt: z.iso.datetime().nullable().describe("When the agent lost the job without having ended it."),
  why: z.string().nullable().describe("Why the agent lost it."),
});
export type Assignment = z.infer<typeof assignmentSchema>;

export const jobViewSchema = z.object({
  id: z.string(),
  kind: jobKindSchema,
  status: jobStatusSchema,
  action: z.string().nullable(),
  effect: effectSchema,
  executionId: z.string().nullable(),
  nodeRunId: z.string().nullable(),
  connectionId: z.string().nullable(),
  target: z.string().nullable().describe(TARGET),
  poolId: z.string().nullable(),
  agentId: z.string().nullable(),
  attempt: z.int().describe(ATTEMPT),
  output: jsonValueSchema.nullable().describe(OUTPUT),
  error: failureSchema.nullable(),
  waitingFor: z.string().nullable(),
  waiting: waitingSchema.nullable(),
  timeline: timelineSchema,
  assignments: z
    .array(assignmentSchema)
    .describe("Every agent that had the job, in order; `timeline` belongs to the last one."),
  lateResults: z
    .array(lateResultSchema)
    .optional()
    .describe(
      "Results that came after the agent had lost the job: recorded for people to see, and never applied. Absent if there are none.",
    ),
});
export type JobView = z.infer<typeof jobViewSchema>;

/** What an agent got to run, with its templates filled in. */
export const jobParametersSchema = z.object({
  id: z.string(),
  action: z.string().nullable(),
  target: z.string().nullable().describe(TARGET),
  params: jsonObjectSchema,
  values: z.record(z.string(), z.string()).describe("The values of `env` and `parameters`, and of templates in SQL."),
  truncated: z.boolean().describe("True if long texts were cut so that the answer keeps its limit of 64 KiB."),
});
export type JobParameters = z.infer<typeof jobParametersSchema>;
