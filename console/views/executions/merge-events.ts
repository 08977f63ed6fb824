import type { ExecutionSummary, ExecutionView, NodeRunView } from "../../../schema/contract/execution.ts";

/** A change of an execution that a stream reported. */
export type ExecutionChange =
  | { type: "execution"; execution: ExecutionSummary & { nodeRuns?: NodeRunView[] | undefined } }
  | { type: "nodeRun"; nodeRun: NodeRunView };

/** An execution with changes applied in order, or null until the whole execution is known. */
export function mergeChanges(known: ExecutionView | null, changes: readonly ExecutionChange[]): ExecutionView | null {
  let summary = known;
  let runs = new Map(known?.nodeRuns.map((run) => [run.id, run]));
  for (const change of changes) {
    if (change.type === "nodeRun") runs.set(change.nodeRun.id, change.nodeRun);
    else {
      const { nodeRuns, ...rest } = change.execution;
      // An execution with node runs is complete and replaces the known state.
      if (nodeRuns !== undefined) runs = new Map(nodeRuns.map((run) => [run.id, run]));
      else if (summary === null || rest.revision < summary.revision) continue;
      summary = { ...rest, nodeRuns: [] };
    }
  }
  return summary === null ? null : { ...summary, nodeRuns: [...runs.values()] };
}

/**
 * The state after a read: a slow read must not undo changes from the stream. `reported`: the changes during the read.
 * They are applied again because stages of jobs change without a new revision.
 */
export function laterOf(
  known: ExecutionView | undefined,
  read: ExecutionView,
  reported: readonly ExecutionChange[] = [],
): ExecutionView {
  if (known !== undefined && known.revision > read.revision) return known;
  return reported.length === 0 ? read : (mergeChanges(read, reported) ?? read);
}
