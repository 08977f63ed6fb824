import type { ExecutionView, NodeRunView } from "../../../schema/contract/execution.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { mostUseful, occurrences } from "./iterations.ts";

/** The ids of the nodes that failed or timed out, without duplicates. */
export function failedNodes(nodeRuns: readonly Pick<NodeRunView, "nodeId" | "status">[]): string[] {
  return [...new Set(nodeRuns.filter(isFailure).map(({ nodeId }) => nodeId))];
}

/** The node run that made an execution fail: the innermost one without a handler, if the definition is known. */
export function failedRun({ status, nodeRuns }: ExecutionView, definition: Definition | null): NodeRunView | null {
  if (status !== "failed") return null;
  const shown = definition === null ? null : (mostUseful(occurrences(definition, nodeRuns, new Map()))?.run ?? null);
  return shown !== null && isFailure(shown) ? shown : (nodeRuns.find(isFailure) ?? null);
}

function isFailure({ status }: Pick<NodeRunView, "status">): boolean {
  return status === "failed" || status === "timed_out";
}
