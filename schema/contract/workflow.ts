import { z } from "zod";
import { coalesceSchema } from "./coalesce.ts";
import {
  ACTION_TIMEOUT_DEFAULT_SECONDS,
  ACTION_TIMEOUT_MAX_SECONDS,
  LIMITS_OF_WORKFLOW_MAX,
  TRIGGER_INPUTS_MAX,
  WORKFLOW_MAX_DEPTH,
  WORKFLOW_MAX_NODES,
} from "../limits.ts";
import { actionNameSchema } from "./action.ts";
import { concurrencySchema } from "./concurrency.ts";
import type { Concurrency } from "./concurrency.ts";
import { conditionGroupSchema } from "./condition.ts";
import type { ConditionGroup } from "./condition.ts";
import type { ActionName } from "./action.ts";
import { forEachRules } from "./for-each.ts";
import type { ForEachRules } from "./for-each.ts";
import { jsonObjectSchema, jsonValueSchema } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { workflowLimitSchema } from "./limit-group.ts";
import type { WorkflowLimit } from "./limit-group.ts";
import { ALWAYS, nestsAtMost } from "./nesting.ts";
import { approversSchema } from "./approval.ts";
import { failureTriggerSchema } from "./failure-trigger.ts";
import { webhookTriggerSchema } from "./webhook-trigger.ts";

/** The triggers of a workflow (docs/design/workflows.md#triggers). */
export const incidentEventTypeSchema = z.enum([
  "incident.created",
  "incident.acknowledged",
  "incident.resolved",
  "incident.escalated",
  "incident.reassigned",
]);
export type IncidentEventType = z.infer<typeof incidentEventTypeSchema>;

/** An input of a manual trigger. */
export const inputSchema = z.strictObject({
  type: z.enum(["string", "number", "boolean", "object", "array"]),
  required: z.boolean().optional(),
  default: jsonValueSchema.optional(),
  description: z.string().max(1_000).optional(),
  sensitive: z.boolean().optional().describe("True hides its value: answers about executions and jobs show `***`."),
});

export const triggerSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("incident"),
    events: z.array(incidentEventTypeSchema).min(1),
    conditions: conditionGroupSchema.optional(),
    coalesce: coalesceSchema.optional(),
  }),
  webhookTriggerSchema,
  z.strictObject({
    type: z.literal("cron"),
    expression: z.string().min(1).max(255),
    timezone: z.string().min(1).max(64).optional(),
  }),
  z.strictObject({
    type: z.literal("manual"),
    inputs: z
      .record(
        z
          .string()
          .regex(
            /^[A-Za-z_][A-Za-z0-9_]{0,63}$/u,
            "must be 1 to 64 letters, digits or '_', starting with a letter or '_'",
          ),
        inputSchema,
      )
      .refine((inputs) => Object.keys(inputs).length <= TRIGGER_INPUTS_MAX, {
        error: `must have at most ${TRIGGER_INPUTS_MAX} inputs`,
      })
      .optional(),
  }),
  failureTriggerSchema,
]);
export type Trigger = z.infer<typeof triggerSchema>;
export type TriggerType = Trigger["type"];

/** A node's id is a name in templates, so it has no dots (docs/design/templates.md#paths). */
export const nodeIdSchema = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u,
    "must be 1 to 64 letters, digits, '_' or '-', starting with a letter or '_'",
  );

const base = { id: nodeIdSchema, name: z.string().max(200).optional() };
const seconds = (maxDays: number) =>
  z
    .int()
    .min(1)
    .max(maxDays * DAY_SECONDS, `must be at most ${maxDays === 1 ? "a day" : `${maxDays} days`}`);
const DAY_SECONDS = 24 * 60 * 60;

export const retrySchema = z.strictObject({
  maxAttempts: z.int().min(1).max(20),
  backoffSeconds: z.number().min(0).max(86_400).describe("The wait before each further attempt, in seconds."),
});

export const actionNodeSchema = z.strictObject({
  ...base,
  type: z.literal("action"),
  action: actionNameSchema,
  connectionId: z.string().min(1).max(64).optional(),
  target: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe(
      "The host, with a port if need be, on a connection with `targets`: required there. It may be a template.",
    ),
  params: jsonObjectSchema.default({}),
  timeoutSeconds: seconds(ACTION_TIMEOUT_MAX_SECONDS / DAY_SECONDS).default(ACTION_TIMEOUT_DEFAULT_SECONDS),
  queueTimeoutSeconds: seconds(30).optional(),
  retry: retrySchema.optional(),
  onAgentLost: z.enum(["fail", "retry"]).optional(),
});
export const conditionNodeSchema = z.strictObject({
  ...base,
  type: z.literal("condition"),
  when: conditionGroupSchema,
});
export const delayNodeSchema = z.strictObject({
  ...base,
  type: z.literal("delay"),
  seconds: seconds(366),
});
export const approvalNodeSchema = z.strictObject({
  ...base,
  type: z.literal("approval"),
  message: z.string().min(1).max(10_000),
  timeoutSeconds: seconds(366).optional(),
  by: z
    .literal("another", { error: 'must be "another", or left out' })
    .optional()
    .describe(
      "`another`: a signed-in person who did not start the execution, and did not change what runs since another person published it. Absent: everyone with the permission `automation:approve`.",
    ),
  approvers: approversSchema.optional(),
});
export const workflowNodeSchema = z.strictObject({
  ...base,
  type: z.literal("workflow"),
  workflowId: z.string().min(1).max(64),
  variables: jsonObjectSchema.optional(),
});
export const errorHandlerNodeSchema = z.strictObject({ ...base, type: z.literal("errorHandler") });

export type ActionNode = {
  id: string;
  name?: string | undefined;
  type: "action";
  action: ActionName;
  connectionId?: string | undefined;
  target?: string | undefined;
  params: JsonObject;
  timeoutSeconds: number;
  queueTimeoutSeconds?: number | undefined;
  retry?: z.infer<typeof retrySchema> | undefined;
  onAgentLost?: "fail" | "retry" | undefined;
};
export type ConditionNode = { id: string; name?: string | undefined; type: "condition"; when: ConditionGroup };
export type DelayNode = z.infer<typeof delayNodeSchema>;
export type ApprovalNode = z.infer<typeof approvalNodeSchema>;
export type WorkflowNode = {
  id: string;
  name?: string | undefined;
  type: "workflow";
  workflowId: string;
  variables?: JsonObject | undefined;
};
export type ErrorHandlerNode = z.infer<typeof errorHandlerNodeSchema>;
export type ForEachNode = {
  id: string;
  name?: string | undefined;
  type: "forEach";
  items: string;
  body: Graph;
} & ForEachRules;
export type Node =
  | ActionNode
  | ConditionNode
  | ForEachNode
  | DelayNode
  | ApprovalNode
  | WorkflowNode
  | ErrorHandlerNode;
export type NodeType = Node["type"];

/** The outcome by which an edge leaves its node. */
export const outcomeSchema = z.enum(["success", "failure", "true", "false", "approved", "rejected"]);
export type Outcome = z.infer<typeof outcomeSchema>;

/** The outcomes of each node type (docs/design/workflows.md#nodes). */
export const NODE_OUTCOMES = {
  action: ["success", "failure"],
  condition: ["true", "false"],
  forEach: ["success", "failure"],
  delay: ["success"],
  approval: ["approved", "rejected"],
  workflow: ["success", "failure"],
  errorHandler: ["success"],
} as const satisfies Record<NodeType, readonly Outcome[]>;

export const edgeSchema = z.strictObject({ from: nodeIdSchema, to: nodeIdSchema, on: outcomeSchema });
export type Edge = z.infer<typeof edgeSchema>;

export interface Graph {
  nodes: Node[];
  edges: Edge[];
}

/** The limit of edges in one graph. */
export const WORKFLOW_MAX_EDGES = WORKFLOW_MAX_NODES * 10;

/** Larger than any screen; whole pixels, so that tiny moves do not change a file. */
const coordinate = z.int().min(-100_000).max(100_000);

/** The trigger's key in a layout. No node can have this id. */
export const TRIGGER_KEY = "@trigger";
const placedSchema = z
  .string()
  .regex(/^(?:@trigger|[A-Za-z_][A-Za-z0-9_-]{0,63})$/u, "must be the id of a node, or '@trigger'");

/**
 * The designer's positions of all nodes and of the trigger, relative to the graph around them. Without a layout the
 * designer arranges the nodes. No other code reads it, and saving drops positions of missing nodes.
 */
export const layoutSchema = z
  .record(placedSchema, z.strictObject({ x: coordinate, y: coordinate }))
  .refine((places) => Object.keys(places).length <= WORKFLOW_MAX_NODES + 1, {
    error: `must have at most ${WORKFLOW_MAX_NODES} nodes and the trigger`,
  });
export type Layout = z.infer<typeof layoutSchema>;

export const forEachNodeSchema = z.strictObject({
  ...base,
  type: z.literal("forEach"),
  items: z.string().min(1).max(1_024),
  ...forEachRules,
  get body(): z.ZodType<Graph> {
    return graphSchema;
  },
});

export const nodeSchema: z.ZodType<Node> = z.discriminatedUnion("type", [
  actionNodeSchema,
  conditionNodeSchema,
  delayNodeSchema,
  approvalNodeSchema,
  workflowNodeSchema,
  errorHandlerNodeSchema,
  forEachNodeSchema,
]);

/** New lists on each call: shared by two objects, they would become a separate recursive shape. */
const graphShape = (owner: string) => ({
  nodes: z.array(nodeSchema).min(1, `${owner} needs at least one step`).max(WORKFLOW_MAX_NODES),
  edges: z.array(edgeSchema).max(WORKFLOW_MAX_EDGES),
});
/** A graph at any depth. */
export const graphSchema: z.ZodType<Graph> = z.strictObject(graphShape("a For each"));

/** The limit of nested forEach nodes. */
export const nestsGraphs = nestsAtMost({
  levels: WORKFLOW_MAX_DEPTH,
  list: "nodes",
  isLevel: ({ type }) => type === "forEach",
  body: "body",
  message: `nests For each deeper than ${WORKFLOW_MAX_DEPTH} levels, including the workflow's own: move the inner part to another workflow and call it`,
});

/** `definition` of a workflow: a graph whose forEach nodes hold graphs, with a depth limit. */
export const definitionSchema: z.ZodType<Definition> = z
  .strictObject({
    ...graphShape("a workflow"),
    timeoutSeconds: seconds(366 * DAY_SECONDS).optional(),
    concurrency: concurrencySchema.optional(),
    limits: z.array(workflowLimitSchema).max(LIMITS_OF_WORKFLOW_MAX).optional(),
    layout: layoutSchema.optional(),
  })
  .superRefine(nestsGraphs, ALWAYS);
export interface Definition extends Graph {
  /** The longest time of a whole execution, waiting included; without it, 400 days. */
  timeoutSeconds?: number | undefined;
  /** Without it, runs of the workflow are independent. */
  concurrency?: Concurrency | undefined;
  /** How often runs with unsafe actions may happen, counted across workflows. */
  limits?: WorkflowLimit[] | undefined;
  layout?: Layout | undefined;
}
