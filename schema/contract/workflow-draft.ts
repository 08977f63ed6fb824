import { z } from "zod";
import {
  ACTION_TIMEOUT_DEFAULT_SECONDS,
  LIMITS_OF_WORKFLOW_MAX,
  TRIGGER_INPUTS_MAX,
  WORKFLOW_MAX_NODES,
  WORKFLOW_TAGS_MAX,
  WORKFLOW_TAG_MAX_CHARS,
} from "../limits.ts";
import { APPROVER_PEOPLE_MAX, approverRoleSchema } from "./approval.ts";
import { concurrencySchema } from "./concurrency.ts";
import { CONDITION_MAX_MEMBERS, conditionOperatorSchema, nestsConditions } from "./condition.ts";
import type { ConditionGroup } from "./condition.ts";
import { jsonValueSchema } from "./json.ts";
import { workflowLimitSchema } from "./limit-group.ts";
import { ALWAYS } from "./nesting.ts";
import { draftWebhookTriggerSchema } from "./webhook-trigger.ts";
import {
  WORKFLOW_MAX_EDGES,
  actionNodeSchema,
  approvalNodeSchema,
  conditionNodeSchema,
  delayNodeSchema,
  edgeSchema,
  errorHandlerNodeSchema,
  forEachNodeSchema,
  incidentEventTypeSchema,
  inputSchema,
  layoutSchema,
  nestsGraphs,
  workflowNodeSchema,
} from "./workflow.ts";
import type { Definition, Graph, Node, Trigger } from "./workflow.ts";

/**
 * The shape of every stored draft (docs/design/workflows.md#drafts): the types of a complete workflow, and the upper
 * bounds of texts, lists and depth. Every reader can therefore show a draft. The rules about values are missing here;
 * publishing applies the complete schema and the checks of the graph.
 */
const text = (maxChars: number) => z.string().max(maxChars);
const number = z.number();

export const draftConditionSchema = z.strictObject({
  field: text(512),
  operator: conditionOperatorSchema,
  value: jsonValueSchema.optional(),
});

/** A group at any depth. */
export const anyDraftConditionGroupSchema: z.ZodType<ConditionGroup> = z.strictObject({
  logic: z.enum(["all", "any"]),
  get conditions() {
    return z.array(z.union([draftConditionSchema, anyDraftConditionGroupSchema])).max(CONDITION_MAX_MEMBERS);
  },
});
const draftConditionGroupSchema = anyDraftConditionGroupSchema.superRefine(nestsConditions, ALWAYS);

export const draftTriggerSchema: z.ZodType<Trigger> = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("incident"),
    events: z.array(incidentEventTypeSchema),
    conditions: draftConditionGroupSchema.optional(),
    coalesce: z.strictObject({ windowSeconds: number, key: text(1_024).optional() }).optional(),
  }),
  draftWebhookTriggerSchema,
  z.strictObject({ type: z.literal("cron"), expression: text(255), timezone: text(64).optional() }),
  z.strictObject({
    type: z.literal("manual"),
    inputs: z
      .record(z.string(), inputSchema)
      .refine((inputs) => Object.keys(inputs).length <= TRIGGER_INPUTS_MAX, {
        error: `must have at most ${TRIGGER_INPUTS_MAX} inputs`,
      })
      .optional(),
  }),
  z.strictObject({
    type: z.literal("failure"),
    tags: z.array(text(WORKFLOW_TAG_MAX_CHARS)).max(WORKFLOW_TAGS_MAX).optional(),
  }),
]);

export const draftActionNodeSchema = actionNodeSchema.extend({
  connectionId: text(64).optional(),
  target: text(1_024).optional(),
  timeoutSeconds: number.default(ACTION_TIMEOUT_DEFAULT_SECONDS),
  queueTimeoutSeconds: number.optional(),
  retry: z.strictObject({ maxAttempts: number, backoffSeconds: number }).optional(),
});
export const draftForEachNodeSchema = forEachNodeSchema.extend({
  items: text(1_024),
  concurrency: number.optional(),
  maxFailures: z.union([number, text(16)]).optional(),
  batchSize: number.optional(),
  pauseSeconds: number.optional(),
  check: draftConditionGroupSchema.optional(),
  get body(): z.ZodType<Graph> {
    return draftGraphSchema;
  },
});

export const draftNodeSchema: z.ZodType<Node> = z.discriminatedUnion("type", [
  draftActionNodeSchema,
  conditionNodeSchema.extend({ when: draftConditionGroupSchema }),
  delayNodeSchema.extend({ seconds: number }),
  approvalNodeSchema.extend({
    message: text(10_000),
    timeoutSeconds: number.optional(),
    approvers: z
      .strictObject({
        roles: z.array(approverRoleSchema).max(approverRoleSchema.options.length).optional(),
        people: z.array(text(64)).max(APPROVER_PEOPLE_MAX).optional(),
      })
      .optional(),
  }),
  workflowNodeSchema.extend({ workflowId: text(64) }),
  errorHandlerNodeSchema,
  draftForEachNodeSchema,
]);

/** New lists on each call: shared by two objects, they would become a separate recursive shape. */
const graphShape = () => ({
  nodes: z.array(draftNodeSchema).max(WORKFLOW_MAX_NODES),
  edges: z.array(edgeSchema).max(WORKFLOW_MAX_EDGES),
});
/** A graph at any depth. */
export const draftGraphSchema: z.ZodType<Graph> = z.strictObject(graphShape());

export const draftDefinitionSchema: z.ZodType<Definition> = z
  .strictObject({
    ...graphShape(),
    timeoutSeconds: number.optional(),
    concurrency: concurrencySchema.extend({ key: text(1_024).optional(), maxQueued: number.optional() }).optional(),
    limits: z
      .array(workflowLimitSchema.extend({ groupId: text(64), key: text(1_024).optional() }))
      .max(LIMITS_OF_WORKFLOW_MAX)
      .optional(),
    layout: layoutSchema.optional(),
  })
  .superRefine(nestsGraphs, ALWAYS);
