import { findLastExecutions } from "../../store/execution-reads.ts";
import type { LastExecutionRow } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { waitingOf } from "../executions/index.ts";

/** The newest execution of each workflow that has one, and whether it waits. */
export async function lastExecutionsOf(
  deps: Deps,
  workflowIds: readonly string[],
): Promise<(LastExecutionRow & { isWaiting: boolean })[]> {
  const last = await findLastExecutions(deps.db, workflowIds);
  const running = last.flatMap(({ id, status }) => (status === "running" ? [id] : []));
  const waiting = await waitingOf(deps, running);
  return last.map((row) => ({ ...row, isWaiting: waiting.has(row.id) }));
}
