import { z } from "zod";
import { actionNameSchema, effectSchema } from "../../schema/contract/action.ts";
import { AGENT_FEATURES, jobKindSchema } from "../../schema/contract/agent.ts";
import { connectionTypeSchema } from "../../schema/contract/connection.ts";
import { jsonObjectSchema } from "../../schema/contract/json.ts";
import type { JobOrder } from "../domain/job-order.ts";

const lostAssignmentSchema = z.object({
  agentId: z.string(),
  deliveredAt: z.number(),
  startedAt: z.number().nullable(),
  lostAt: z.number(),
  why: z.string(),
});

/** Orders that are sent again are read by this schema, so a missing field must not compile. */
const jobOrderSchema: z.ZodType<JobOrder> = z.object({
  jobId: z.string(),
  attempt: z.int(),
  kind: jobKindSchema,
  executionId: z.string().nullable(),
  workflowId: z.string().nullable(),
  onBehalfOf: z.string().nullable().exactOptional(),
  nodeRunId: z.string().nullable(),
  action: actionNameSchema.nullable(),
  testedType: connectionTypeSchema.exactOptional(),
  effect: effectSchema,
  connectionId: z.string().nullable(),
  target: z.string().exactOptional(),
  shownTarget: z.string().exactOptional(),
  poolObject: z.string(),
  reroutes: z.int().exactOptional(),
  pinnedAgentId: z.string().nullable(),
  features: z.array(z.enum(AGENT_FEATURES)).exactOptional(),
  params: jsonObjectSchema,
  values: z.record(z.string(), z.string()),
  timeoutSeconds: z.number(),
  queueTimeoutSeconds: z.number().nullable(),
  onAgentLost: z.enum(["fail", "retry"]).nullable(),
  queuedAt: z.number(),
  lost: z.int().exactOptional(),
  interrupted: z.int().exactOptional(),
  lostAt: z.number().exactOptional(),
  assignments: z.array(lostAssignmentSchema).exactOptional(),
  approvedTargets: z.record(z.string(), z.string()).exactOptional(),
  traceparent: z.string().exactOptional(),
} satisfies Record<keyof JobOrder, z.ZodType>);

/** Reads an order stored as JSON. Throws when its version cannot be read. */
export function toJobOrder(stored: unknown): JobOrder {
  return jobOrderSchema.parse(stored);
}
