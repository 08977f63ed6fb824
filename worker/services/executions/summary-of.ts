import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import type { ExecutionRow } from "../../store/execution-reads.ts";
import { openRuns } from "../../store/open-runs.ts";
import type { Deps } from "../deps.ts";
import { toSummary } from "./view.ts";

/** The summary of one execution; one that waits for its turn names the run that must end first. */
export async function summaryOf(deps: Deps, row: ExecutionRow): Promise<ExecutionSummary> {
  const summary = toSummary(row);
  const { workflowId, concurrencyKey } = row;
  if (summary.waiting === undefined || concurrencyKey === null) return summary;
  const { begun } = await openRuns(deps.db, { workflowId, concurrencyKey });
  return begun === null ? summary : { ...summary, waiting: { ...summary.waiting, executionId: begun } };
}
