import { z } from "zod";
import { executionStatusSchema, executionSummarySchema, nodeRunSchema } from "./execution.ts";

/**
 * Live updates as server-sent events. A stream lasts some minutes at most, and no longer than the right to read; then
 * it sends `reconnect` and ends, so that the reader must present valid credentials again. With `Last-Event-ID` a new
 * stream continues without a gap.
 */

/**
 * Events of one execution. The id of an event is the execution's revision. `nodeRun` has no id, and belongs to the
 * `execution` event after it.
 */
export const executionEventSchemas = {
  /** With `nodeRuns` in the first event of a stream without `Last-Event-ID`; later without them. */
  execution: executionSummarySchema.extend({ nodeRuns: z.array(nodeRunSchema).optional() }),
  /** The whole of a changed node run. */
  nodeRun: nodeRunSchema,
  /** The end of the execution and of the stream. */
  end: z.object({ status: executionStatusSchema }),
  reconnect: z.object({ reason: z.string() }),
} as const;

/** Events of all executions. The id of an event is a sequence number across all executions. */
export const executionListEventSchemas = {
  /** From here on every change is reported; earlier executions are in the list. */
  ready: z.object({ seq: z.int() }),
  /** The present state of an execution that has begun, changed or ended. */
  execution: executionSummarySchema,
  /** Too many changes since, or a new sequence: read the list again. */
  resync: z.object({ seq: z.int(), reason: z.string() }),
  reconnect: z.object({ reason: z.string() }),
} as const;

export const followExecutionsQuerySchema = z.object({
  workflowId: z.string().min(1).max(64).optional(),
  /** With `running`, the ends of executions are reported, too. */
  status: executionStatusSchema.optional(),
});

/** The longest life of a stream, its longest silence, and the time after which a client reconnects. */
export const STREAM_MAX_MS = 5 * 60_000;
/** Concurrent streams for each token or person: a console in many tabs needs one per tab. */
export const STREAMS_PER_CALLER_MAX = 100;
export const STREAM_HEARTBEAT_MS = 15_000;
export const STREAM_RETRY_MS = 1_000;
