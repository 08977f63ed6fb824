import { z } from "zod";
import { executionStatusSchema, executionSummarySchema, nodeRunSchema } from "./execution.ts";

/**
 * Live updates as server-sent events. A stream lasts some minutes, and no longer than the right to read: then it says
 * `reconnect` and ends, so that whoever follows shows valid credentials again. With `Last-Event-ID` it goes on where it was left, without a gap.
 */

/** Of one execution. Its revision is the event's id; `nodeRun` carries none, and belongs to the `execution` behind it. */
export const executionEventSchemas = {
  /** With `nodeRuns` as the first event of a stream that began without `Last-Event-ID`; without them later. */
  execution: executionSummarySchema.extend({ nodeRuns: z.array(nodeRunSchema).optional() }),
  /** One that has changed, whole. */
  nodeRun: nodeRunSchema,
  /** It is over, and so is the stream. */
  end: z.object({ status: executionStatusSchema }),
  reconnect: z.object({ reason: z.string() }),
} as const;

/** Of all executions: the id is a sequence over all of them. */
export const executionListEventSchemas = {
  /** From here on everything is told; what was before stands in the list. */
  ready: z.object({ seq: z.int() }),
  /** One that has begun, changed or ended, as it is now. */
  execution: executionSummarySchema,
  /** Too much has happened since, or the sequence is another one: read the list again. */
  resync: z.object({ seq: z.int(), reason: z.string() }),
  reconnect: z.object({ reason: z.string() }),
} as const;

export const followExecutionsQuerySchema = z.object({
  workflowId: z.string().min(1).max(64).optional(),
  /** With `running`, their end is told, too. */
  status: executionStatusSchema.optional(),
});

/** How long one stream lasts at most; how long it is silent; how soon a client comes back. */
export const STREAM_MAX_MS = 5 * 60_000;
/** At once, for each token or person: a page in many tabs needs one each. */
export const STREAMS_PER_CALLER_MAX = 100;
export const STREAM_HEARTBEAT_MS = 15_000;
export const STREAM_RETRY_MS = 1_000;
