import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionStatus, ExecutionView } from "../../../schema/contract/execution.ts";
import { toAuditRow } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { ProblemError } from "../problem.ts";
import { reach } from "../unavailable.ts";
import { findStartedExecution } from "./find-started.ts";
import { getExecution } from "./get.ts";

/** Cancels an execution; 409 when it has ended. Queued jobs are taken back, and agents are asked to stop the others. */
export async function cancelExecution(deps: Deps, actor: string, id: string): Promise<ExecutionView> {
  const row = await findStartedExecution(deps, id);
  if (isTerminalExecution(row.status)) throw ended(row.status);
  const audit = toAuditRow(deps, {
    actor,
    verb: "cancel",
    subjectType: "execution",
    subjectId: id,
    detail: { workflowId: row.workflowId },
  });
  const status = await reach("The execution could not be cancelled.", () =>
    deps.objects.workflowRuns({ workflowId: row.workflowId }).cancel(id, actor, audit),
  );
  // The execution may have ended between the check and the call.
  if (status === "succeeded" || status === "failed") throw ended(status);
  return getExecution(deps, id);
}

function ended(status: ExecutionStatus): ProblemError {
  return new ProblemError("conflict", `This execution has ended already: it is ${status}. There is nothing to cancel.`);
}
