import type { NodeRunView } from "../../../schema/contract/execution.ts";

/** The nodes that failed or ran out of time in the end, each once. */
export function failedNodes(nodeRuns: readonly Pick<NodeRunView, "nodeId" | "status">[]): string[] {
  const failed = nodeRuns.filter(({ status }) => status === "failed" || status === "timed_out");
  return [...new Set(failed.map(({ nodeId }) => nodeId))];
}
