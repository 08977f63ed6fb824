import { storedDraft } from "../../../schema/contract/draft.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { AUDIT_JOINS_SAVES_MS } from "../../../schema/limits.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { findNewestAudit } from "../../store/audit.ts";
import { writeBatch } from "../../store/database.ts";
import { findWorkflow, insertWorkflow } from "../../store/workflows.ts";
import type { WorkflowRow } from "../../store/workflows.ts";
import { record } from "../audit-record.ts";
import type { AuditRow } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { personOf, UNKNOWN_PERSON } from "../principal.ts";
import type { Principal } from "../principal.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { requireAuthority } from "./authority.ts";
import { changeAndShow } from "./change-and-show.ts";
import type { ParsedWorkflow } from "./check.ts";
import { forgetPortions } from "../retention/index.ts";
import { changedRetention } from "./changed-retention.ts";
import { toView } from "./view.ts";

type Draft = Pick<ParsedWorkflow, "workflow" | "isDraft" | "problems">;

/** Stores a new workflow as a draft, neither published nor active. Throws `forbidden`. */
export async function insertDraft(
  deps: Deps,
  by: Principal,
  verb: "create" | "import",
  draft: Draft,
): Promise<WorkflowView> {
  const { definition } = draft.workflow;
  await requireAuthority(deps, by, { step: "save", workflowId: null, before: null, after: definition });
  const now = deps.now();
  const id = deps.newId("workflow");
  await writeBatch(deps.db, [
    insertWorkflow(deps.db, {
      id,
      ...columnsOf(draft),
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
  return toView(row, [], deps.now());
}

/**
 * Replaces a draft. The published version does not change until the next publish. Throws
 * `forbidden`: the change is judged against the draft that it replaces, whichever one the person has seen.
 */
export async function replaceDraft(
  deps: Deps,
  { by, verb, id }: { by: Principal; verb: "update" | "import"; id: string },
  draft: Draft,
  expected: ExpectedRevisions,
): Promise<WorkflowView> {
  const decide = async (row: WorkflowRow) => {
    const after = draft.workflow.definition;
    await requireAuthority(deps, by, { step: "save", workflowId: id, before: row.definition, after });
    const retention = await changedRetention(deps, row, draft.workflow.retention ?? null);
    return {
      changes: {
        ...columnsOf(draft),
        ...(retention === null ? {} : { retentionFormer: retention.retentionFormer }),
        changedBy: changers(row.changedBy, by),
      },
      also: retention === null ? [] : forgetPortions(deps, ["executions"]),
      audit: { actor: by.actor, verb, detail: { ...auditDetail(draft), ...retention?.detail } },
      continues: draft.isDraft && retention === null ? await earlierSave(deps, by.actor, id) : null,
    };
  };
  return changeAndShow(deps, id, decide, expected);
}

function columnsOf({ workflow, problems }: Draft) {
  return { ...storedDraft(workflow), tags: workflow.tags ?? [], problems: [...problems] };
}

/** `draft` marks an entry that later saves of the same person may join. */
function auditDetail({ workflow: { name, trigger }, isDraft }: Draft): JsonObject {
  return { name, trigger: trigger.type, ...(isDraft ? { draft: true } : {}) };
}

/** The entry that a save of a draft joins: the workflow's newest one, if it is a recent save of the same person. */
async function earlierSave(deps: Deps, actor: string, id: string): Promise<AuditRow | null> {
  const newest = await findNewestAudit(deps.db, { subjectType: "workflow", subjectId: id });
  const isJoined =
    newest !== null &&
    newest.actor === actor &&
    newest.verb === "update" &&
    newest.detail["draft"] === true &&
    // A change of retention keeps its entry.
    newest.detail["retentionBefore"] === undefined &&
    newest.at > deps.now() - AUDIT_JOINS_SAVES_MS;
  return isJoined ? newest : null;
}

function changers(people: readonly string[], by: Principal): string[] {
  return [...new Set([...people, personOf(by) ?? UNKNOWN_PERSON])];
}
