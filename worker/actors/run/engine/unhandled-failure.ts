import type { Failure } from "../../../../schema/contract/problem.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import { ownValue } from "../../../domain/own-value.ts";
import type { Scope } from "./draft.ts";

interface UnhandledFailure {
  readonly nodeId: string;
  readonly error: Failure;
}

/** The results for graphs that are over: nothing in them changes again. */
const failures = new WeakMap<Scope, { first: UnhandledFailure | null }>();

/** The first failure in an ended graph that neither an edge nor the graph's errorHandler took; null for none. */
export function unhandledFailure(scope: Scope): UnhandledFailure | null {
  const known = failures.get(scope) ?? { first: firstUnhandled(scope) };
  failures.set(scope, known);
  return known.first;
}

function firstUnhandled(scope: Scope): UnhandledFailure | null {
  let first: NodeRun | null = null;
  for (const run of scope.runs()) {
    if (!hasFailed(run) || isHandled(scope, run)) continue;
    if (first === null || endedAt(run) < endedAt(first)) first = run;
  }
  if (first === null) return null;
  return { nodeId: first.nodeId, error: first.error ?? { code: "failed", message: "No reason was recorded." } };
}

export function hasFailed({ status }: NodeRun): boolean {
  return status === "failed" || status === "timed_out" || status === "cancelled";
}

/** Whether an edge or the graph's own errorHandler took a failure. */
export function isHandled(scope: Scope, run: NodeRun): boolean {
  const { outgoing } = scope.node(run.nodeId);
  if (outgoing.some((edge) => edge.on === run.outcome)) return true;
  const { rootHandler } = scope.index;
  return rootHandler !== null && enteredBy(scope, rootHandler) === run.nodeId;
}

/** The node whose failure entered an errorHandler; null when none has. */
export function enteredBy(scope: Scope, handlerId: string): string | null {
  const nodeId = ownValue(scope.run(handlerId).output ?? undefined, ["nodeId"]);
  return typeof nodeId === "string" ? nodeId : null;
}

function endedAt(run: NodeRun): number {
  return run.timeline.finishedAt ?? Number.POSITIVE_INFINITY;
}
