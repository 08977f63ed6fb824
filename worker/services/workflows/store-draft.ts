import { storedDraft } from "../../../schema/contract/draft.ts";
import type { WorkflowInput, WorkflowView } from "../../../schema/contract/management.ts";
import { writeBatch } from "../../store/database.ts";
import { findWorkflow, insertWorkflow } from "../../store/workflows.ts";
import type { WorkflowRow } from "../../store/workflows.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { personOf, UNKNOWN_PERSON } from "../principal.ts";
import type { Principal } from "../principal.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { requireAuthority } from "./authority.ts";
import { changeAndShow } from "./change-and-show.ts";
import { toView } from "./view.ts";

/** Stores a new, checked workflow as a draft, neither published nor active. Throws `forbidden`. */
export async function insertDraft(
  deps: Deps,
  by: Principal,
  verb: "create" | "import",
  draft: WorkflowInput,
): Promise<WorkflowView> {
  await requireAuthority(deps, by, { step: "save", workflowId: null, before: null, after: draft.definition });
  const now = deps.now();
  const id = deps.newId("workflow");
  await writeBatch(deps.db, [
    insertWorkflow(deps.db, {
      id,
      ...storedDraft(draft),
      changedBy: changers([], by),
      createdAt: now,
      updatedAt: now,
    }),
    record(deps, {
      actor: by.actor,
      verb,
      subjectType: "workflow",
      subjectId: id,
      detail: auditDetail(draft),
    }),
  ]);
  const row = await findWorkflow(deps.db, id);
  if (row === null) throw notFound("workflow", id);
  return toView(row, []);
}

/**
 * Replaces a draft with a checked one. The published version does not change until the next publish. Throws
 * `forbidden`: the change is judged against the draft that it replaces, whichever one the person has seen.
 */
export async function replaceDraft(
  deps: Deps,
  { by, verb, id }: { by: Principal; verb: "update" | "import"; id: string },
  draft: WorkflowInput,
  expected: ExpectedRevisions,
): Promise<WorkflowView> {
  const decide = async (row: WorkflowRow) => {
    await requireAuthority(deps, by, { step: "save", workflowId: id, before: row.definition, after: draft.definition });
    return {
      changes: { ...storedDraft(draft), changedBy: changers(row.changedBy, by) },
      audit: { actor: by.actor, verb, detail: auditDetail(draft) },
    };
  };
  return changeAndShow(deps, id, decide, expected);
}

function auditDetail({ name, trigger }: WorkflowInput) {
  return { name, trigger: trigger.type };
}

function changers(people: readonly string[], by: Principal): string[] {
  return [...new Set([...people, personOf(by) ?? UNKNOWN_PERSON])];
}
