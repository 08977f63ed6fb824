import { z } from "zod";
import { DRY_RUN_ITEMS_MAX, DRY_RUN_PROBLEMS_MAX } from "../limits.ts";
import { effectSchema } from "./action.ts";
import { connectionTypeSchema } from "./connection.ts";
import { executionTriggerSchema } from "./execution.ts";
import { jsonObjectSchema, jsonValueSchema } from "./json.ts";
import { workflowInputSchema } from "./management.ts";
import { failureSchema, fieldErrorSchema } from "./problem.ts";
import { incidentEventTypeSchema, nodeIdSchema, outcomeSchema } from "./workflow.ts";

/** `POST /workflows/validate`: checks a workflow and, with sample data, predicts its run. Nothing is stored or run. */

/** The trigger's sample data; missing fields have a default. A trigger accepts only its own fields. */
export const sampleSchema = z.strictObject({
  /** For webhook and manual triggers, and for a manual run of any other. */
  variables: jsonObjectSchema.optional(),
  /** For incident triggers: the relevant fields. */
  incident: jsonObjectSchema.optional(),
  eventType: incidentEventTypeSchema.optional(),
  /** For failure triggers: the relevant fields of the failed execution. */
  failed: jsonObjectSchema.optional(),
  /** For cron triggers. */
  scheduledAt: z.iso.datetime({ offset: true }).optional(),
});
export type Sample = z.infer<typeof sampleSchema>;

/** The assumed end of a node. A node that is not given succeeds, and its output is unknown. */
export const givenNodeSchema = z.strictObject({
  output: jsonValueSchema.optional(),
  status: z.enum(["succeeded", "failed", "timed_out", "cancelled"]).optional(),
  /** The kind of the edges by which it leaves; mostly for approvals and conditions. */
  outcome: outcomeSchema.optional(),
  error: z.strictObject({ code: z.string().optional(), message: z.string().optional() }).optional(),
});
export type GivenNode = z.infer<typeof givenNodeSchema>;

/** With `sample` or `nodes` a dry run takes place. */
export const dryRunDataSchema = z.strictObject({
  sample: sampleSchema.optional(),
  nodes: z.record(nodeIdSchema, givenNodeSchema).optional(),
});
export type DryRunData = z.infer<typeof dryRunDataSchema>;
export const validateWorkflowSchema = workflowInputSchema.extend(dryRunDataSchema.shape);

export const runsSchema = z.enum(["yes", "no", "unknown"]);
export type Runs = z.infer<typeof runsSchema>;

const templateSchema = z.object({
  /** The template's place in the node: `params.script`. */
  at: z.string(),
  template: z.string(),
  /** Null for an empty or unknown value. */
  value: jsonValueSchema.nullable(),
});

/** Where an action would run, and what would delay it now. */
export const runsOnSchema = z.object({
  connectionId: z.string().nullable(),
  connectionName: z.string().nullable(),
  connectionType: connectionTypeSchema.nullable(),
  /** `service`: runs without an agent. */
  runner: z.enum(["pool", "agent", "service"]).nullable(),
  poolId: z.string().nullable(),
  agentId: z.string().nullable(),
  /** The agents that could take the job; null when the pool does not answer. */
  agents: z.object({ total: z.int(), online: z.int() }).nullable(),
  waitingFor: z
    .string()
    .nullable()
    .describe("What would delay it now; null if an agent that can run it would get it with the next poll."),
});
export type RunsOn = z.infer<typeof runsOnSchema>;

export const nodePreviewSchema = z.object({
  nodeId: z.string(),
  type: z.string(),
  /** The iterations around it, from the outermost forEach inwards: the first of each. */
  iteration: z.array(z.int()),
  /** Whether it would run with these data. */
  runs: runsSchema,
  /** The outcome by which it would leave; null when unknown. */
  outcome: outcomeSchema.nullable(),
  /** `assumed`: an action without given data succeeds. */
  outcomeBy: z.enum(["given", "evaluated", "assumed"]).nullable(),
  /** Every template of the node, with its value. */
  templates: z.array(templateSchema),
  /** The templates with an empty or unknown value, and why. */
  unresolved: z.array(z.object({ template: z.string(), known: z.boolean(), reason: z.string() })),
  /** Why it would fail immediately; errors that depend on unknown values are left out. */
  error: failureSchema.nullable(),
  action: z
    .object({
      name: z.string(),
      effect: effectSchema.nullable(),
      /** The host it would go to, on a connection with `targets`; null without one, or when it is not known. */
      target: z.string().nullable(),
      /** The parameters that the agent would get; null when they cannot be made. */
      params: jsonObjectSchema.nullable(),
      /** Values that are sent apart from code, by their name in the code. */
      values: z.array(z.object({ name: z.string(), template: z.string().nullable(), value: z.string() })),
      runsOn: runsOnSchema.nullable(),
    })
    .optional(),
  /** Null when it depends on unknown values. */
  condition: z.object({ holds: z.boolean().nullable() }).optional(),
  /** Null when the list is unknown. */
  forEach: z
    .object({
      count: z.int().nullable(),
      first: jsonValueSchema.nullable(),
      checked: z
        .int()
        .describe(
          `For how many items, from the first, the steps inside were checked: at most ${DRY_RUN_ITEMS_MAX}, and fewer where that would take too long.`,
        ),
      problems: z
        .array(
          z.object({
            iteration: z.array(z.int()),
            item: z.string().describe("The item as text, shortened."),
            nodeId: z.string(),
            error: failureSchema,
          }),
        )
        .describe(`Steps that would fail for a later item than the first; at most ${DRY_RUN_PROBLEMS_MAX}.`),
    })
    .optional(),
  delay: z.object({ seconds: z.int() }).optional(),
  approval: z.object({ message: z.string() }).optional(),
  workflow: z
    .object({
      workflowId: z.string(),
      name: z.string().nullable(),
      published: z.boolean(),
      variables: jsonObjectSchema,
    })
    .optional(),
});
export type NodePreview = z.infer<typeof nodePreviewSchema>;
export type ItemProblem = NonNullable<NodePreview["forEach"]>["problems"][number];

export const validateAnswerSchema = z.object({
  valid: z.boolean(),
  errors: z.array(fieldErrorSchema),
  /** Problems that do not prevent saving, but may be mistakes. */
  warnings: z.array(fieldErrorSchema),
  /** The trigger's data as templates see them, and whether they would start the workflow; with `sample` or `nodes`. */
  trigger: z.object({ data: executionTriggerSchema, starts: z.boolean() }).optional(),
  /** With `sample` or `nodes`, unless the graph cannot be followed: one entry per node, in the order of execution. */
  preview: z.array(nodePreviewSchema).optional(),
});
export type ValidateAnswer = z.infer<typeof validateAnswerSchema>;
