import { executeWorkflowSchema } from "../../../schema/contract/management.ts";
import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { TriggerAnswer } from "../../../schema/contract/webhook.ts";
import { findRunnable } from "../../store/workflow-versions.ts";
import { toAuditRow } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { requireNoWindow } from "../maintenance/index.ts";
import { parseInput } from "../parse.ts";
import { withPerson } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import { reach } from "../unavailable.ts";
import { resolveInputs } from "./resolve-inputs.ts";

/**
 * Starts the published version for a person or a tool; it need not be active
 * (docs/design/workflows.md#published-and-active). A manual trigger's inputs are checked and get their defaults;
 * variables of any other workflow are passed on unchecked.
 */
export async function executeWorkflow(deps: Deps, by: Principal, id: string, input: unknown): Promise<TriggerAnswer> {
  const found = await findRunnable(deps.db, id);
  if (found === null) throw notFound("workflow", id);
  const { variables = {}, ignoreMaintenance = false } = parseInput(executeWorkflowSchema, input);
  const { name, versionId, trigger } = found;
  if (versionId === null || trigger === null) {
    throw new ProblemError("conflict", "This workflow is not published, so there is nothing to run. Publish it first.");
  }
  const inputs = trigger.type === "manual" ? trigger.inputs : undefined;
  const given = inputs === undefined ? variables : resolveInputs(inputs, variables);
  const execution: ExecutionTrigger = { type: "manual", variables: given, by: by.actor };
  if (!ignoreMaintenance) await requireNoWindow(deps, { workflowId: id, trigger: execution });
  const executionId = deps.newId("execution");
  const startedAt = deps.now();
  const started = await reach("The execution could not be started.", () =>
    deps.objects.workflowRuns({ workflowId: id }).start({
      executionId,
      workflowId: id,
      versionId,
      trigger: execution,
      triggerKey: executionId,
      webhookKey: null,
      startedAt,
      startedBy: withPerson([], by),
      audit: toAuditRow(deps, {
        actor: by.actor,
        verb: "execute",
        subjectType: "workflow",
        subjectId: id,
        detail: { name, executionId, versionId },
      }),
    }),
  );
  return { executionId: started.executionId, status: started.status, startedAt: new Date(startedAt).toISOString() };
}
