import type { WorkflowView } from "../../../schema/contract/management.ts";
import { writeBatch } from "../../store/database.ts";
import { findWorkflow, insertWorkflow } from "../../store/workflows.ts";
import { record } from "../audit/record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parseWorkflow } from "./check.ts";
import { toView } from "./view.ts";

/** Creates a workflow: a draft, neither published nor active. */
export async function createWorkflow(deps: Deps, actor: string, input: unknown): Promise<WorkflowView> {
  const { name, description, trigger, definition } = await parseWorkflow(deps, input);
  const now = deps.now();
  const id = deps.newId("workflow");
  await writeBatch(deps.db, [
    insertWorkflow(deps.db, {
      id,
      name,
      description: description ?? null,
      trigger,
      definition,
      createdAt: now,
      updatedAt: now,
    }),
    record(deps, {
      actor,
      verb: "create",
      subjectType: "workflow",
      subjectId: id,
      detail: { name, trigger: trigger.type },
    }),
  ]);
  const row = await findWorkflow(deps.db, id);
  if (row === null) throw notFound("workflow", id);
  return toView(row);
}
