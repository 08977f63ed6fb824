import type { Definition, Node } from "../../../schema/contract/workflow.ts";
import { graphsOf } from "../graph/walk.ts";
import type { EndedExecution, EndedJob, EndedNodeRun } from "./ended-execution.ts";
import { jobSpans } from "./job-spans.ts";
import type { Attributes, Span } from "./span.ts";
import { derivedSpanId, spanIdOf, traceIdOf } from "./trace-ids.ts";

interface PlacedNode {
  readonly node: Node;
  /** The forEach that has the node in its body; null outside any. */
  readonly forEachId: string | null;
}

/**
 * The spans of an ended execution: itself, its node runs with their jobs, and the items of each forEach. Node runs that
 * were skipped, or that a retry kept from the former execution, have none.
 */
export function executionSpans(execution: EndedExecution, definition: Definition): Span[] {
  const places = placesOf(definition);
  const jobsOf = Map.groupBy(execution.jobs, ({ nodeRunId }) => nodeRunId);
  const runs = new Map(execution.nodeRuns.map((run) => [placeKey(run.nodeId, run.path), run]));
  const traceId = traceIdOf(execution.rootId);
  const items = new Map<string, Span>();
  const spans = execution.nodeRuns.flatMap((run) => {
    const placed = places.get(run.nodeId);
    const span = nodeSpan(run, placed?.node, jobsOf.get(run.id) ?? [], execution);
    if (span === null) return [];
    const parentSpanId = parentOf(run, placed?.forEachId ?? null, span);
    return [{ ...span, parentSpanId }, ...jobSpans(span, jobsOf.get(run.id) ?? [], execution.finishedAt)];
  });
  return [...rootSpans(execution), ...items.values(), ...spans];

  /** An item begins with its first node run and ends with its last one. */
  function parentOf({ path }: EndedNodeRun, forEachId: string | null, { startMs, endMs }: Span): string {
    const index = path.at(-1);
    const around = forEachId === null ? undefined : runs.get(placeKey(forEachId, path.slice(0, -1)));
    if (index === undefined || around === undefined) return spanIdOf(execution.id);
    const spanId = derivedSpanId(around.id, "item", index);
    const known = items.get(spanId);
    items.set(spanId, {
      traceId,
      spanId,
      parentSpanId: spanIdOf(around.id),
      name: `item ${index + 1}`,
      startMs: Math.min(startMs, known?.startMs ?? startMs),
      endMs: Math.max(endMs, known?.endMs ?? endMs),
      attributes: {
        "bellhop.item.index": index,
        "bellhop.item.batch": batchOf(places.get(around.nodeId)?.node, index),
      },
      error: null,
      events: [],
      links: [],
    });
    return spanId;
  }
}

function rootSpans(execution: EndedExecution): Span[] {
  const { id, rootId, parentNodeRunId, startedAt, begunAt, finishedAt, status, errorCode } = execution;
  const { repeats, follows } = execution;
  const root: Span = {
    traceId: traceIdOf(rootId),
    spanId: spanIdOf(id),
    parentSpanId: parentNodeRunId === null ? null : spanIdOf(parentNodeRunId),
    name: execution.workflowName ?? execution.workflowId,
    startMs: startedAt,
    endMs: Math.max(startedAt, finishedAt),
    attributes: {
      "bellhop.execution.id": id,
      "bellhop.execution.status": status,
      "bellhop.execution.trigger": execution.trigger,
      "bellhop.workflow.id": execution.workflowId,
      "bellhop.workflow.version": execution.versionId,
      "bellhop.execution.suppressed": execution.suppressedAs,
      "bellhop.execution.repeats": repeats?.id ?? null,
      "bellhop.execution.failed": follows?.id ?? null,
      "bellhop.cut": execution.isCut ? true : null,
    },
    error: status === "failed" ? (errorCode ?? "failed") : null,
    events: [],
    links: [repeats, follows].flatMap((earlier) =>
      earlier === null ? [] : { traceId: traceIdOf(earlier.rootId), spanId: spanIdOf(earlier.id) },
    ),
  };
  if (begunAt === null || begunAt <= startedAt) return [root];
  const start: Span = {
    ...root,
    spanId: derivedSpanId(id, "start"),
    parentSpanId: root.spanId,
    name: "start",
    endMs: begunAt,
    attributes: {},
    error: null,
    links: [],
  };
  return [root, start];
}

/** Null for a node run that did not happen in this execution. Its parent is decided later. */
function nodeSpan(
  run: EndedNodeRun,
  node: Node | undefined,
  jobs: readonly EndedJob[],
  execution: EndedExecution,
): Span | null {
  if (run.jobId !== null && jobs.length === 0) return null;
  const [first] = jobs;
  const begins = [run.queuedAt, run.startedAt, ...jobs.map(({ times }) => times.queuedAt)];
  const known = begins.filter((at) => at !== null);
  // A condition has one time only.
  if (known.length === 0 && run.finishedAt !== null) known.push(run.finishedAt);
  if (known.length === 0) return null;
  const startMs = Math.min(...known);
  const ends = first === undefined ? [run.finishedAt] : jobs.map(({ times }) => times.reportedAt ?? times.finishedAt);
  const endMs = Math.max(startMs, ...ends.map((at) => at ?? execution.finishedAt));
  if (first === undefined && endMs < execution.startedAt) return null;
  const failed = run.status === "failed" || run.status === "timed_out";
  return {
    traceId: traceIdOf(execution.rootId),
    spanId: spanIdOf(run.id),
    parentSpanId: null,
    name: node?.name ?? run.nodeId,
    startMs,
    endMs,
    attributes: attributesOf(run, node),
    error: failed ? (run.errorCode ?? run.status) : null,
    events: [],
    links: [],
  };
}

function attributesOf(run: EndedNodeRun, node: Node | undefined): Attributes {
  return {
    "bellhop.node.id": run.nodeId,
    "bellhop.node.type": node?.type ?? null,
    "bellhop.node.run": run.id,
    "bellhop.node.status": run.status,
    "bellhop.node.outcome": run.outcome,
    "bellhop.node.attempts": run.attempt,
    "bellhop.node.child": run.childExecutionId,
  };
}

/** The number of an item's batch; null without batches. */
function batchOf(node: Node | undefined, index: number): number | null {
  const size = node?.type === "forEach" ? node.batchSize : undefined;
  return size === undefined ? null : Math.floor(index / size) + 1;
}

function placesOf(definition: Definition): Map<string, PlacedNode> {
  const placed = graphsOf(definition).flatMap(({ graph, parent }) =>
    graph.nodes.map((node): [string, PlacedNode] => [node.id, { node, forEachId: parent?.forEachId ?? null }]),
  );
  return new Map(placed);
}

function placeKey(nodeId: string, path: readonly number[]): string {
  return `${nodeId}:${path.join(".")}`;
}
