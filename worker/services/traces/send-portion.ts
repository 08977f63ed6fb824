import { TRACE_PORTION_NODE_RUNS, TRACE_REQUEST_MAX_BYTES, TRACE_REQUEST_MAX_SPANS } from "../../../schema/limits.ts";
import type { EndedExecution } from "../../domain/trace/ended-execution.ts";
import { executionSpans } from "../../domain/trace/execution-spans.ts";
import { nextRequest } from "../../domain/trace/next-request.ts";
import type { QueuedTrace, RequestPart } from "../../domain/trace/next-request.ts";
import type { Span } from "../../domain/trace/span.ts";
import { readEnded } from "../../store/ended-executions.ts";
import { failureMessage } from "../../store/errors.ts";
import { settleTraces } from "../../store/traces.ts";
import type { TraceQueueRow } from "../../store/traces.ts";
import type { Deps } from "../deps.ts";
import { definitionOf } from "../executions/index.ts";
import { logWarning } from "../log.ts";
import type { TraceSettings } from "../trace-settings.ts";
import { postSpans } from "./post-spans.ts";

export interface PortionFailure {
  readonly reason: string;
  readonly retryAfterMs: number | null;
}

export interface PortionEnd {
  /** Null when the next portion may follow. */
  readonly failure: PortionFailure | null;
  /** Whether the receiver took anything. */
  readonly hasTaken: boolean;
}

/**
 * Sends the spans of the first of these executions, as many as fit, and settles what the receiver took after each
 * request. A refused request is sent again in smaller ones; an execution that is refused alone leaves the queue, because
 * it would be refused again. Requests are smaller after `failures` in a row. None begins after `endAt` (epoch ms).
 */
export async function sendPortion(
  deps: Deps,
  tracing: TraceSettings,
  queued: readonly TraceQueueRow[],
  { endAt, failures }: { endAt: number; failures: number },
): Promise<PortionEnd> {
  let waiting = await readTraces(deps, queued);
  let most = { traces: waiting.length, spans: Math.max(1, Math.floor(TRACE_REQUEST_MAX_SPANS / 2 ** failures)) };
  let hasTaken = false;
  let refused: PortionFailure | null = null;
  while (waiting.length > 0 && deps.now() < endAt) {
    const parts = nextRequest(waiting, { ...most, bytes: TRACE_REQUEST_MAX_BYTES });
    const outcome = await post(parts, tracing);
    if (outcome.type === "failed") return { failure: outcome, hasTaken };
    if (outcome.type === "accepted") {
      hasTaken = true;
      await settleTaken(deps, parts, outcome.rejected);
      waiting = afterRequest(waiting, parts);
      most = { traces: most.traces * 2, spans: Math.min(TRACE_REQUEST_MAX_SPANS, most.spans * 2) };
    } else if (parts.length > 1) {
      most = { ...most, traces: Math.ceil(parts.length / 2) };
    } else {
      refused = { reason: outcome.reason, retryAfterMs: null };
      const ended = parts.map(({ id }) => id);
      logWarning("the receiver of traces refuses an execution", { executionId: ended.join(), error: outcome.reason });
      await settleTraces(deps.db, { ended }, [["traces:refused", 1]]);
      waiting = waiting.slice(1);
    }
  }
  return { failure: hasTaken ? null : refused, hasTaken };
}

function post(parts: readonly RequestPart[], tracing: TraceSettings): ReturnType<typeof postSpans> {
  const spans = parts.flatMap((part) => part.spans);
  return spans.length === 0 ? Promise.resolve({ type: "accepted", rejected: 0 }) : postSpans(spans, tracing);
}

function settleTaken({ db }: Deps, parts: readonly RequestPart[], rejected: number): Promise<unknown> {
  const ended = parts.filter(({ isLast }) => isLast).map(({ id }) => id);
  const spans = parts.reduce((sum, part) => sum + part.spans.length, 0);
  return settleTraces(db, { ended, begun: parts.filter(({ isLast }) => !isLast) }, [
    ["traces:sent", ended.length],
    ["spans:sent", spans - rejected],
    ["spans:rejected", rejected],
  ]);
}

function afterRequest(traces: readonly QueuedTrace[], parts: readonly RequestPart[]): QueuedTrace[] {
  const sent = new Map(parts.map((part) => [part.id, part]));
  return traces.flatMap((trace) => {
    const part = sent.get(trace.id);
    if (part === undefined) return trace;
    return part.isLast ? [] : { ...trace, sent: part.sent };
  });
}

/** Executions that are gone, or whose spans cannot be made, leave the queue here: they must not keep the others back. */
async function readTraces(deps: Deps, queued: readonly TraceQueueRow[]): Promise<QueuedTrace[]> {
  const ids = queued.map(({ executionId }) => executionId);
  const executions = await readEnded(deps.db, ids, TRACE_PORTION_NODE_RUNS);
  if (executions === null) return readTraces(deps, queued.slice(0, Math.ceil(queued.length / 2)));
  const spans = new Map<string, Span[]>();
  for (const execution of executions) {
    const made = await spansOf(deps, execution);
    if (made !== null) spans.set(execution.id, made);
  }
  const unreadable = ids.filter((id) => !spans.has(id));
  if (unreadable.length > 0) {
    await settleTraces(deps.db, { ended: unreadable }, [["traces:unreadable", unreadable.length]]);
  }
  return queued.flatMap(({ executionId: id, sent }) => {
    const made = spans.get(id);
    return made === undefined ? [] : { id, spans: made, sent };
  });
}

async function spansOf(deps: Deps, execution: EndedExecution): Promise<Span[] | null> {
  try {
    return executionSpans(execution, await definitionOf(deps, execution.versionId));
  } catch (error) {
    logWarning("an execution's spans could not be made", { executionId: execution.id, error: failureMessage(error) });
    return null;
  }
}
