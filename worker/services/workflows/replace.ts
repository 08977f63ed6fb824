import type { WorkflowView } from "../../../schema/contract/management.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import type { Principal } from "../principal.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { parseSave } from "./check.ts";
import { replaceDraft } from "./store-draft.ts";

/** Replaces the draft. The published version does not change until the next publish. */
export async function replaceWorkflow(
  deps: Deps,
  by: Principal,
  id: string,
  input: unknown,
  expected: ExpectedRevisions = null,
): Promise<WorkflowView> {
  const seen = await findWorkflow(deps.db, id);
  if (seen === null) throw notFound("workflow", id);
  // Before the check of the draft: a person who edits an old state must know that first.
  requireRevision(expected, seen.revision);
  const parsed = await parseSave(deps, input);
  const shown = await replaceDraft(deps, { by, verb: "update", id }, parsed, expected);
  return { ...shown, warnings: [...parsed.warnings] };
}
