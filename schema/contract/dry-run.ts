import { z } from "zod";
import { effectSchema } from "./action.ts";
import { connectionTypeSchema } from "./connection.ts";
import { executionTriggerSchema } from "./execution.ts";
import { jsonObjectSchema, jsonValueSchema } from "./json.ts";
import { workflowInputSchema } from "./management.ts";
import { failureSchema, fieldErrorSchema } from "./problem.ts";
import { incidentEventTypeSchema, nodeIdSchema, outcomeSchema } from "./workflow.ts";

/** `POST /workflows/validate`: a workflow is checked and, with sample data, tried on paper. Nothing is stored or run. */

/** What the trigger would bring along; what is not given has a default. A trigger takes only what is its own. */
export const sampleSchema = z.strictObject({
  /** For webhook and manual triggers, and to run any other by hand. */
  variables: jsonObjectSchema.optional(),
  /** For incident triggers: the fields that matter. */
  incident: jsonObjectSchema.optional(),
  eventType: incidentEventTypeSchema.optional(),
  /** For cron triggers. */
  scheduledAt: z.iso.datetime({ offset: true }).optional(),
});
export type Sample = z.infer<typeof sampleSchema>;

/** How a node is taken to have ended. What is not given succeeds, and its output is not known. */
export const givenNodeSchema = z.strictObject({
  output: jsonValueSchema.optional(),
  status: z.enum(["succeeded", "failed", "timed_out", "cancelled"]).optional(),
  /** The edges by which it leaves; for approvals and conditions, mostly. */
  outcome: outcomeSchema.optional(),
  error: z.strictObject({ code: z.string().optional(), message: z.string().optional() }).optional(),
});
export type GivenNode = z.infer<typeof givenNodeSchema>;

/** A dry run takes place when `sample` or `nodes` is there. */
export const dryRunDataSchema = z.strictObject({
  sample: sampleSchema.optional(),
  nodes: z.record(nodeIdSchema, givenNodeSchema).optional(),
});
export type DryRunData = z.infer<typeof dryRunDataSchema>;
export const validateWorkflowSchema = workflowInputSchema.extend(dryRunDataSchema.shape);

export const runsSchema = z.enum(["yes", "no", "unknown"]);
export type Runs = z.infer<typeof runsSchema>;

const templateSchema = z.object({
  /** Where it stands in the node: `params.script`. */
  at: z.string(),
  template: z.string(),
  /** Null where it gives nothing or is not known. */
  value: jsonValueSchema.nullable(),
});

/** Where an action would run, and what would keep it waiting at present. */
export const runsOnSchema = z.object({
  connectionId: z.string().nullable(),
  connectionName: z.string().nullable(),
  connectionType: connectionTypeSchema.nullable(),
  /** `service`: no agent has part in it. */
  runner: z.enum(["pool", "agent", "service"]).nullable(),
  poolId: z.string().nullable(),
  agentId: z.string().nullable(),
  /** Of those that could take it; null where the pool does not answer. */
  agents: z.object({ total: z.int(), online: z.int() }).nullable(),
  waitingFor: z
    .string()
    .nullable()
    .describe(
      "What stands in the way at present, in words; null when an agent that can run it would take it with its next poll.",
    ),
});
export type RunsOn = z.infer<typeof runsOnSchema>;

export const nodePreviewSchema = z.object({
  nodeId: z.string(),
  type: z.string(),
  /** The iterations it stands in, from the outermost forEach inwards: the first of each. */
  iteration: z.array(z.int()),
  /** Whether it would run with these data. */
  runs: runsSchema,
  /** How it would leave; null when that is not known. */
  outcome: outcomeSchema.nullable(),
  /** `assumed`: an action of which nothing is given succeeds. */
  outcomeBy: z.enum(["given", "evaluated", "assumed"]).nullable(),
  /** Every template of the node, and what it would become. */
  templates: z.array(templateSchema),
  /** Those of them that give nothing, or nothing that is known yet, and why. */
  unresolved: z.array(z.object({ template: z.string(), known: z.boolean(), reason: z.string() })),
  /** Why it would fail at once; what depends on values that are not known does not count. */
  error: failureSchema.nullable(),
  action: z
    .object({
      name: z.string(),
      effect: effectSchema.nullable(),
      /** As the agent would get them; null when they cannot be made. */
      params: jsonObjectSchema.nullable(),
      /** What travels beside code, by the name that the code refers to it by. */
      values: z.array(z.object({ name: z.string(), template: z.string().nullable(), value: z.string() })),
      runsOn: runsOnSchema.nullable(),
    })
    .optional(),
  /** Null when it depends on what is not known. */
  condition: z.object({ holds: z.boolean().nullable() }).optional(),
  /** Null where the list is not known. */
  forEach: z.object({ count: z.int().nullable(), first: jsonValueSchema.nullable() }).optional(),
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

export const validateAnswerSchema = z.object({
  valid: z.boolean(),
  errors: z.array(fieldErrorSchema),
  /** What can be saved and may still not be what was meant. */
  warnings: z.array(fieldErrorSchema),
  /** The trigger's data as templates see them, and whether they would start the workflow; with `sample` or `nodes`. */
  trigger: z.object({ data: executionTriggerSchema, starts: z.boolean() }).optional(),
  /** With `sample` or `nodes`, unless the graph cannot be followed: one entry a node, in the order in which they run. */
  preview: z.array(nodePreviewSchema).optional(),
});
export type ValidateAnswer = z.infer<typeof validateAnswerSchema>;
