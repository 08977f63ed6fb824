import type { NodeRunView } from "../../../schema/contract/execution.ts";
import { waitingSentence } from "../executions/waits-for.ts";

export interface Doing {
  nodeId: string;
  /** What it waits for, as a sentence; null while it runs. */
  waits: string | null;
  /** How many other nodes are under way, too. */
  others: number;
}

/** What an execution is at: what waits comes first, since somebody may have to act. Null when nothing is under way. */
export function doing(nodeRuns: readonly NodeRunView[]): Doing | null {
  const open = nodeRuns.filter(({ status }) => status === "waiting" || status === "running");
  const shown = open.find(({ waiting }) => waiting !== null) ?? open.at(0);
  if (shown === undefined) return null;
  return {
    nodeId: shown.nodeId,
    waits: shown.waiting === null ? null : waitingSentence(shown.waiting),
    others: open.length - 1,
  };
}
