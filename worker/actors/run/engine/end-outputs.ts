import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import type { ForEachNode } from "../../../../schema/contract/workflow.ts";
import type { Scope } from "./draft.ts";
import { unhandledFailure } from "./unhandled-failure.ts";

/** A graph's outputs: those of the succeeded nodes without a taken edge, by node id. */
export function endOutputs(scope: Scope): JsonObject {
  const outputs: JsonObject = {};
  for (const { node, outgoing } of scope.index.nodes.values()) {
    const { status, output } = scope.run(node.id);
    if (status !== "succeeded" || output === null) continue;
    if (!outgoing.some((edge) => scope.takes(edge))) outputs[node.id] = output;
  }
  return outputs;
}

export interface Results {
  /** In templates behind the forEach: `nodes.<id>.output.results.0.outputs.<nodeId>.stdout`. */
  readonly output: {
    total: number;
    succeeded: number;
    failed: number;
    notStarted: number;
    /** The iterations that began, in the order of their items. */
    results: JsonObject[];
  };
  readonly failures: readonly { index: number; nodeName: string; error: Failure }[];
}

/** The outcomes of a forEach's iterations, in the order of its items. */
export function resultsOf(scope: Scope, node: ForEachNode, total: number): Results {
  const begun = [...scope.iterations(node.id)].sort(([a], [b]) => a - b);
  const failures: { index: number; nodeName: string; error: Failure }[] = [];
  const results = begun.map(([index, iteration]): JsonObject => {
    const outputs = endOutputs(iteration);
    const failure = unhandledFailure(iteration);
    if (failure === null) return { index, status: "succeeded", outputs };
    failures.push({ index, nodeName: iteration.nameOf(failure.nodeId), error: failure.error });
    return { index, status: "failed", outputs, error: { ...failure.error, nodeId: failure.nodeId } };
  });
  return {
    output: {
      total,
      succeeded: results.length - failures.length,
      failed: failures.length,
      notStarted: total - results.length,
      results,
    },
    failures,
  };
}
