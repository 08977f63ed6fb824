import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { useRead } from "../../api/queries.ts";

/** How many executions since this one are searched for its retries. */
const SEARCHED_MAX = 100;

/** The retries of an execution that has ended; undefined while they are read. */
export function useRetries(execution: ExecutionSummary): readonly ExecutionSummary[] | undefined {
  const isOver = isTerminalExecution(execution.status);
  const query = { workflowId: execution.workflowId, from: execution.startedAt, limit: SEARCHED_MAX };
  const later = useRead("/api/v1/automation/executions", { query }, { enabled: isOver });
  return later.data?.items.filter(({ retryOf }) => retryOf === execution.id);
}
