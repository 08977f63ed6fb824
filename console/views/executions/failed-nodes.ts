import type { NodeRunView } from "../../../schema/contract/execution.ts";

/** The ids of the nodes that failed or timed out, without duplicates. */
export function failedNodes(nodeRuns: readonly Pick<NodeRunView, "nodeId" | "status">[]): string[] {
  const failed = nodeRuns.filter(({ status }) => status === "failed" || status === "timed_out");
  return [...new Set(failed.map(({ nodeId }) => nodeId))];
}
