import type { ExecutionSummary, ExecutionView, NodeRunView } from "../../../schema/contract/execution.ts";

/** What a stream told of an execution, in the order in which it did. */
export type ExecutionChange =
  | { type: "execution"; execution: ExecutionSummary & { nodeRuns?: NodeRunView[] | undefined } }
  | { type: "nodeRun"; nodeRun: NodeRunView };

/** An execution with what has changed; null while it is not known as a whole. */
export function mergeChanges(known: ExecutionView | null, changes: readonly ExecutionChange[]): ExecutionView | null {
  let summary = known;
  let runs = new Map(known?.nodeRuns.map((run) => [run.id, run]));
  for (const change of changes) {
    if (change.type === "nodeRun") runs.set(change.nodeRun.id, change.nodeRun);
    else {
      const { nodeRuns, ...rest } = change.execution;
      // With its node runs it is the whole, whatever was known.
      if (nodeRuns !== undefined) runs = new Map(nodeRuns.map((run) => [run.id, run]));
      else if (summary === null || rest.revision < summary.revision) continue;
      summary = { ...rest, nodeRuns: [] };
    }
  }
  return summary === null ? null : { ...summary, nodeRuns: [...runs.values()] };
}

/**
 * What is known after an answer: one that was long under way must not take back what a stream has told since. `told`: what
 * it told while it was under way; stages of jobs change without a new revision.
 */
export function laterOf(
  known: ExecutionView | undefined,
  read: ExecutionView,
  told: readonly ExecutionChange[] = [],
): ExecutionView {
  if (known !== undefined && known.revision > read.revision) return known;
  return told.length === 0 ? read : (mergeChanges(read, told) ?? read);
}
