import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { approveSchema } from "../../../schema/contract/management.ts";
import { toAuditRow } from "../audit/record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";
import { reach } from "../unavailable.ts";
import { findStartedExecution } from "./find-started.ts";
import { getExecution } from "./get.ts";

/** Answers a node run that waits for approval; 409 when it does not wait, or not any more. */
export async function approveExecution(deps: Deps, actor: string, id: string, input: unknown): Promise<ExecutionView> {
  const { nodeRunId, decision, comment } = parseInput(approveSchema, input);
  const { workflowId } = await findStartedExecution(deps, id);
  const audit = toAuditRow(deps, {
    actor,
    verb: decision === "approved" ? "approve" : "reject",
    subjectType: "execution",
    subjectId: id,
    detail: { workflowId, nodeRunId },
  });
  const result = await reach("Your answer could not be given to the execution.", () =>
    deps.objects.run({ workflowId }).decide(id, { nodeRunId, decision, by: actor, comment: comment ?? null }, audit),
  );
  if (result === null) throw notFound("execution", id);
  if (result === "notWaiting") {
    const { nodeRuns } = await getExecution(deps, id);
    if (!nodeRuns.some((run) => run.id === nodeRunId)) throw notFound("node run", nodeRunId);
    throw new ProblemError(
      "conflict",
      `The node run ${nodeRunId} does not wait for approval: it was answered, has expired, or never asked. Look at the execution.`,
    );
  }
  return getExecution(deps, id);
}
