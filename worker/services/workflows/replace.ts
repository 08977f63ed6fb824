import type { WorkflowView } from "../../../schema/contract/management.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { parseWorkflow } from "./check.ts";
import { toView } from "./view.ts";

/** Replaces the draft. What is published stays as it is until it is published again. */
export async function replaceWorkflow(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  expected: ExpectedRevisions = null,
): Promise<WorkflowView> {
  const seen = await findWorkflow(deps.db, id);
  if (seen === null) throw notFound("workflow", id);
  // Before the draft is judged: who edits an old state must hear that first.
  requireRevision(expected, seen.revision);
  const { name, description, trigger, definition } = await parseWorkflow(deps, input);
  const row = await changeWorkflow(
    deps,
    id,
    () => ({
      changes: { name, description: description ?? null, trigger, definition },
      audit: { actor, verb: "update", detail: { name, trigger: trigger.type } },
    }),
    expected,
  );
  return toView(row);
}
