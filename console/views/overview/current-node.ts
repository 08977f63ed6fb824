import type { NodeRunView } from "../../../schema/contract/execution.ts";
import { waitingSentence } from "../executions/waits-for.ts";

export interface CurrentNode {
  nodeId: string;
  /** The reason for the wait, as a sentence; null while the node runs. */
  waits: string | null;
  /** How many other nodes run or wait. */
  others: number;
}

/** An execution's current node, or null when none runs. A waiting node comes first: a person may have to act on it. */
export function currentNode(nodeRuns: readonly NodeRunView[]): CurrentNode | null {
  const open = nodeRuns.filter(({ status }) => status === "waiting" || status === "running");
  const shown = open.find(({ waiting }) => waiting !== null) ?? open.at(0);
  if (shown === undefined) return null;
  return {
    nodeId: shown.nodeId,
    waits: shown.waiting === null ? null : waitingSentence(shown.waiting),
    others: open.length - 1,
  };
}
