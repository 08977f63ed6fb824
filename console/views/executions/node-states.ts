import type { NodeRunStatus } from "../../../schema/contract/execution.ts";
import type { GraphNodeState } from "../../graph/flow-elements.ts";
import type { Iteration, Occurrence } from "./iterations.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";

/** The state with which the graph draws each node. */
export function graphStates(found: readonly Occurrence[]): Map<string, GraphNodeState> {
  return new Map(
    found.flatMap(({ node, run, iterations, current }): [string, GraphNodeState][] => {
      if (run === null) return [];
      return [
        [
          node.id,
          {
            status: run.status,
            outcomes: run.outcome === null ? [] : [run.outcome],
            ...(iterations.length > 0 ? { counts: countByStatus(iterations) } : {}),
            ...(noteOf(run.attempt, run.status, current) === null
              ? {}
              : { note: noteOf(run.attempt, run.status, current) ?? "" }),
          },
        ],
      ];
    }),
  );
}

export function countByStatus(iterations: readonly Iteration[]): Partial<Record<NodeRunStatus, number>> {
  const counts: Partial<Record<NodeRunStatus, number>> = {};
  for (const { status } of iterations) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function noteOf(attempt: number, status: NodeRunStatus, current: number | null): string | null {
  if (current !== null) return text.showingItem(current + 1);
  return attempt > 1 && status !== "skipped" ? text.attempt(attempt) : null;
}
