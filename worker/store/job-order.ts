import { z } from "zod";
import { actionNameSchema, effectSchema } from "../../schema/contract/action.ts";
import { jobKindSchema } from "../../schema/contract/agent.ts";
import { jsonObjectSchema } from "../../schema/contract/json.ts";
import type { JobOrder } from "../domain/run-types.ts";

const jobOrderSchema: z.ZodType<JobOrder> = z.object({
  jobId: z.string(),
  attempt: z.int(),
  kind: jobKindSchema,
  executionId: z.string().nullable(),
  workflowId: z.string().nullable(),
  nodeRunId: z.string().nullable(),
  action: actionNameSchema.nullable(),
  effect: effectSchema,
  connectionId: z.string().nullable(),
  poolObject: z.string(),
  moves: z.int().exactOptional(),
  pinnedAgentId: z.string().nullable(),
  params: jsonObjectSchema,
  values: z.record(z.string(), z.string()),
  timeoutSeconds: z.number(),
  queueTimeoutSeconds: z.number().nullable(),
  onAgentLost: z.enum(["fail", "retry"]).nullable(),
  queuedAt: z.number(),
});

/** Reads an order that was stored as JSON. Throws when it was stored by a version that this one cannot read. */
export function toJobOrder(stored: unknown): JobOrder {
  return jobOrderSchema.parse(stored);
}
