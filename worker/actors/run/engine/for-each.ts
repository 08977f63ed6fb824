import type { Failure } from "../../../../schema/contract/problem.ts";
import type { ForEachNode } from "../../../../schema/contract/workflow.ts";
import {
  EXECUTION_MAX_NODE_RUNS,
  FOREACH_CONCURRENCY_DEFAULT,
  FOREACH_RESULTS_MAX_BYTES,
} from "../../../../schema/limits.ts";
import { jsonBytes } from "../../../domain/json-bytes.ts";
import { enterBatch } from "./batches.ts";
import type { Scope } from "./draft.ts";
import { fail, succeed } from "./end-node.ts";
import { resultsOf } from "./end-outputs.ts";
import type { Results } from "./end-outputs.ts";
import { codeAbove } from "./limits.ts";
import { itemsOf } from "./resolve.ts";
import { supersededError } from "./supersede.ts";
import { unhandledFailure } from "./unhandled-failure.ts";

/** Begins a forEach with as many iterations as may run at once. An empty list succeeds immediately. */
export function startForEach(scope: Scope, node: ForEachNode): void {
  const items = itemsOf(scope, node);
  if (!items.ok) return fail(scope, node.id, { status: "failed", error: items.failure });
  scope.update(node.id, {
    status: "running",
    timeline: { ...scope.run(node.id).timeline, startedAt: scope.draft.now },
  });
  advanceForEach(scope, node);
}

/** Continues after the pause between two batches. */
export function resumeForEach(scope: Scope, node: ForEachNode): void {
  scope.update(node.id, { status: "running" });
  advanceForEach(scope, node);
}

/**
 * Begins further iterations, or ends the forEach when no iteration runs. After more failures than it allows no other
 * begins: a workflow that restarts ten hosts one by one must stop when the first does not come back. A failure handled
 * inside the body does not count.
 */
export function advanceForEach(scope: Scope, node: ForEachNode): void {
  const items = itemsOf(scope, node);
  if (!items.ok || scope.run(node.id).status !== "running") return;
  const total = items.list.length;
  const begun = scope.iterations(node.id);
  const failed = [...begun.values()].filter((iteration) => iteration.over && unhandledFailure(iteration) !== null);
  let open = [...begun.values()].filter((iteration) => !iteration.over).length;
  const { supersededBy } = scope.draft;
  const stops = supersededBy !== null || failed.length > allowedFailures(node, total);
  const room = stops ? 0 : (node.concurrency ?? FOREACH_CONCURRENCY_DEFAULT);
  for (let index = 0; index < total && open < room; index += 1) {
    if (begun.has(index)) continue;
    const tooMany = nodeRunLimit(scope, node);
    if (tooMany !== null) return open > 0 ? undefined : finish(scope, node, total, tooMany);
    const entry = enterBatch(scope, node, { index, total, open });
    if (entry === "waits") return;
    if (entry !== "enters") return finish(scope, node, total, entry);
    scope.draft.openIteration(scope, node.id, index);
    open += 1;
  }
  if (open > 0) return;
  if (supersededBy !== null) fail(scope, node.id, { status: "cancelled", error: supersededError(supersededBy) });
  else finish(scope, node, total, null);
}

/** How many iterations may fail before no other begins. */
function allowedFailures({ maxFailures, continueOnError }: ForEachNode, total: number): number {
  if (maxFailures === undefined) return continueOnError === true ? total : 0;
  return typeof maxFailures === "number" ? maxFailures : Math.floor((total * Number.parseInt(maxFailures, 10)) / 100);
}

function finish(scope: Scope, node: ForEachNode, total: number, stop: Failure | null): void {
  const results = resultsOf(scope, node, total);
  const bytes = jsonBytes(results.output);
  if (bytes > FOREACH_RESULTS_MAX_BYTES) {
    const { results: _left, ...counts } = results.output;
    const error = {
      code: "results_too_large",
      message: `The iterations ended, but their results have ${bytes} bytes, and at most ${FOREACH_RESULTS_MAX_BYTES} are kept. Let their last actions return less.`,
    };
    return fail(scope, node.id, { status: "failed", error, output: counts });
  }
  const isExcused = node.continueOnError === true && results.failures.length <= allowedFailures(node, total);
  const error = stop ?? (isExcused ? null : failureOf(results, total));
  if (error === null) succeed(scope, node.id, { output: results.output });
  else fail(scope, node.id, { status: "failed", error, output: results.output });
}

function failureOf({ failures, output }: Results, total: number): Failure | null {
  const [first] = failures;
  if (first === undefined) return null;
  const left = output.notStarted;
  const notStarted = left > 0 ? `, and ${left} ${left === 1 ? "was" : "were"} not started` : "";
  return {
    code: codeAbove(
      failures.map(({ error }) => error),
      "iteration_failed",
    ),
    message:
      `${failures.length} of ${total} items failed${notStarted}; item ${first.index + 1}: ${first.nodeName}: ${first.error.message}`.slice(
        0,
        16_384,
      ),
  };
}

function nodeRunLimit(scope: Scope, node: ForEachNode): Failure | null {
  if (scope.draft.runCount + node.body.nodes.length <= EXECUTION_MAX_NODE_RUNS) return null;
  return {
    code: "too_many_node_runs",
    message: `An execution has at most ${EXECUTION_MAX_NODE_RUNS} node runs, and another iteration would exceed them. Split the list over several executions.`,
  };
}
