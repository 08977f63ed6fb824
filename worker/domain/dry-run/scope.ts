import type { GivenNode, Runs } from "../../../schema/contract/dry-run.ts";
import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { Edge, Node, Outcome } from "../../../schema/contract/workflow.ts";
import { failureBehind } from "../graph/failure-behind.ts";
import type { Course } from "../graph/failure-behind.ts";
import type { GraphIndex } from "../graph/graph-index.ts";
import type { FailedNode, PathRun, PathView } from "../template/resolve-path.ts";

/** The assumed end of a node in a dry run. */
export interface DryResult extends PathRun {
  readonly node: Node;
  readonly runs: Runs;
  /** Null when it is unknown. */
  readonly outcome: Outcome | null;
  readonly given: GivenNode | undefined;
}

/** One graph of a dry run: the definition's own, or a forEach's body for one of its items. */
export interface DryScope {
  readonly index: GraphIndex;
  readonly trigger: ExecutionTrigger;
  readonly results: Map<string, DryResult>;
  /** The failure that leads to a node, cached after the first search: a node may have thousands of templates. */
  readonly failures: Map<string, FailedNode | null>;
  /** Null outside of any forEach; `items` is null when they are unknown, and then `index` is 0. */
  readonly parent: {
    readonly scope: DryScope;
    readonly forEachId: string;
    readonly items: readonly JsonValue[] | null;
    readonly index: number;
  } | null;
}

/** The values that templates find in a dry run. */
export const DRY_VIEW: PathView<DryScope> = {
  execution: ({ trigger }) => ({ trigger, startedAt: null }),
  run: ({ results }, nodeId) => results.get(nodeId),
  items: ({ parent }) => ({ list: parent?.items ?? null, index: parent?.index ?? 0 }),
  failureBehind(scope, nodeId) {
    const known = scope.failures.get(nodeId);
    if (known !== undefined) return known;
    const found = failedNode(scope, nodeId);
    scope.failures.set(nodeId, found);
    return found;
  },
};

/** Whether an edge is taken; null when that is unknown. */
export function takes({ results }: DryScope, { from, on }: Edge): boolean | null {
  const result = results.get(from);
  if (result === undefined || result.runs === "no") return false;
  if (result.outcome !== null && result.outcome !== on) return false;
  return result.runs === "yes" && result.outcome !== null ? true : null;
}

/** The first failure that no edge takes; null when there is none. */
export function unhandledFailure({ index, results }: DryScope): DryResult | null {
  for (const [id, result] of results) {
    const isHandled = (index.nodes.get(id)?.outgoing ?? []).some((edge) => edge.on === result.outcome);
    if (hasFailed(result) && !isHandled) return result;
  }
  return null;
}

function hasFailed(result: DryResult | undefined): boolean {
  return result !== undefined && result.status !== "succeeded" && result.status !== "skipped";
}

/** The failure that leads to a node with these data; without one, the failure that its failure edge assumes. */
function failedNode(scope: DryScope, nodeId: string): FailedNode | null {
  const real = failureBehind(scope, nodeId, AS_GIVEN);
  const found = real ?? failureBehind(scope, nodeId, AS_ASSUMED);
  const result = found?.scope.results.get(found.nodeId);
  if (result === undefined) return null;
  const { error, given, node, output } = result;
  return {
    node,
    run: real === null ? { status: "failed", error: error ?? {}, output: given?.output ?? output } : result,
  };
}

const AS_GIVEN: Course<DryScope> = {
  takes: (scope, edge) => takes(scope, edge) !== false,
  failedBefore: ({ results }, incoming) =>
    incoming.find(({ from, on }) => hasFailed(results.get(from)) && results.get(from)?.outcome === on)?.from ?? null,
  enteredBy: (scope) => unhandledFailure(scope)?.node.id ?? null,
};

const AS_ASSUMED: Course<DryScope> = {
  takes: () => true,
  failedBefore: (scope, incoming) =>
    incoming.find((edge) => (edge.on === "failure" || edge.on === "rejected") && takes(scope, edge) !== true)?.from ??
    null,
  enteredBy: () => null,
};
