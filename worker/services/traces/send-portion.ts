import { TRACE_PORTION_NODE_RUNS, TRACE_REQUEST_MAX_SPANS } from "../../../schema/limits.ts";
import type { EndedExecution } from "../../domain/trace/ended-execution.ts";
import { executionSpans } from "../../domain/trace/execution-spans.ts";
import type { Span } from "../../domain/trace/span.ts";
import { readEnded } from "../../store/ended-executions.ts";
import { failureMessage } from "../../store/errors.ts";
import { chunks } from "../../store/node-run-writes.ts";
import { settleTraces } from "../../store/traces.ts";
import type { Deps } from "../deps.ts";
import { definitionOf } from "../executions/index.ts";
import { logWarning } from "../log.ts";
import type { TraceSettings } from "../trace-settings.ts";
import { postSpans } from "./post-spans.ts";

export interface PortionFailure {
  readonly reason: string;
  readonly retryAfterMs: number | null;
}

/**
 * Sends the spans of the first of these executions, as many as fit, and removes them from the queue. What the receiver
 * refuses is removed, too: it would refuse it again. Null when the next portion may follow.
 */
export async function sendPortion(
  deps: Deps,
  tracing: TraceSettings,
  ids: readonly string[],
): Promise<PortionFailure | null> {
  const ended = await readEnded(deps.db, ids, TRACE_PORTION_NODE_RUNS);
  if (ended === null) return sendPortion(deps, tracing, ids.slice(0, Math.ceil(ids.length / 2)));
  const traces = (await Promise.all(ended.map((execution) => spansOf(deps, execution)))).filter((one) => one !== null);
  const unreadable = ["traces:unreadable", ids.length - traces.length] as const;
  const spans = traces.flat();
  let rejected = 0;
  for (const some of chunks(spans, TRACE_REQUEST_MAX_SPANS)) {
    const outcome = await postSpans(some, tracing);
    if (outcome.type === "failed") return outcome;
    if (outcome.type === "refused") {
      await settleTraces(deps.db, ids, [["traces:refused", traces.length], unreadable]);
      return { ...outcome, retryAfterMs: null };
    }
    rejected += outcome.rejected;
  }
  await settleTraces(deps.db, ids, [
    ["traces:sent", traces.length],
    unreadable,
    ["spans:sent", spans.length - rejected],
    ["spans:rejected", rejected],
  ]);
  return null;
}

/** Null for an execution whose spans cannot be made: it must not keep the others back. */
async function spansOf(deps: Deps, execution: EndedExecution): Promise<Span[] | null> {
  try {
    return executionSpans(execution, await definitionOf(deps, execution.versionId));
  } catch (error) {
    logWarning("an execution's spans could not be made", { executionId: execution.id, error: failureMessage(error) });
    return null;
  }
}
