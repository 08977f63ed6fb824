import { isDeepStrictEqual } from "node:util";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Definition, Trigger } from "../../../schema/contract/workflow.ts";
import { actionsOf } from "../../domain/code-changes.ts";
import { isUsableIn } from "../../domain/credential/may-use.ts";
import { withoutLayout } from "../../domain/definition-layout.ts";
import { underPath } from "../../domain/graph/check-definition.ts";
import { approverWarnings, limitsApprovers } from "../../domain/graph/approver-warnings.ts";
import { findEnabledUsers } from "../../store/users.ts";
import { findLatestVersion, findVersionTrigger, insertVersion } from "../../store/workflows.ts";
import type { WorkflowRow, WorkflowVersionRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { answeredFor, personOf } from "../principal.ts";
import type { Principal } from "../principal.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { isSameSchedule, nextRunOf } from "../schedule/index.ts";
import { requireAuthority } from "./authority.ts";
import { changeAndShow } from "./change-and-show.ts";
import { checkDraft } from "./check.ts";
import { restrictedUses } from "./connection-authority.ts";
import { requireSecondPublisher } from "./second-publisher.ts";

/**
 * Makes an immutable version of the draft, which triggers can start. The draft is checked again: a connection may be
 * gone since it was saved. Publishing an unchanged draft again makes no new version, unless the publisher decides which
 * connections a version may use and is now another person. Throws `forbidden` for content that the person may not bring
 * into effect, even if others saved it.
 */
export async function publishWorkflow(
  deps: Deps,
  by: Principal,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<WorkflowView> {
  let warnings: readonly FieldError[] = [];
  const shown = await changeAndShow(
    deps,
    id,
    async (row) => {
      const found = await checkDraft(deps, row.trigger, row.definition);
      warnings = [...found, ...(await tooFewApprovers(deps, row.definition))];
      const latest = await findLatestVersion(deps.db, id);
      requireSecondPublisher(deps, by, row, latest);
      const unchanged = latest !== null && isSame(row, latest) && !(await takesOver(deps, by, row, latest));
      // A draft that was changed back has no changes left that anyone answers for.
      if (unchanged && row.publishedVersionId === latest.id && row.changedBy.length === 0) return null;
      const before = latest?.definition ?? null;
      await requireAuthority(deps, by, { step: "publish", workflowId: id, before, after: row.definition });
      const version = unchanged ? latest : nextVersion(deps, by, row, latest);
      return {
        changes: {
          publishedVersionId: version.id,
          publishedTriggerType: version.trigger.type,
          consecutiveFailures: 0,
          changedBy: [],
          ...(await nextRunChange(deps, row, version.trigger)),
        },
        also: unchanged ? [] : [insertVersion(deps.db, version)],
        audit: {
          actor: by.actor,
          verb: "publish",
          detail: { name: row.name, versionId: version.id, number: version.number },
        },
      };
    },
    expected,
  );
  return { ...shown, warnings: [...warnings] };
}

async function tooFewApprovers(deps: Deps, definition: Definition): Promise<FieldError[]> {
  if (!limitsApprovers(definition)) return [];
  const people = await findEnabledUsers(deps.db);
  return approverWarnings(definition, people).map((warning) => underPath(warning, "definition."));
}

/**
 * A changed schedule starts from now. An unchanged one keeps its next time, so that a run that is due and not yet
 * started is not lost.
 */
async function nextRunChange(deps: Deps, row: WorkflowRow, trigger: Trigger): Promise<{ nextRunAt?: number | null }> {
  const { active, nextRunAt, publishedVersionId } = row;
  const before = publishedVersionId === null ? null : await findVersionTrigger(deps.db, publishedVersionId);
  if (active && nextRunAt !== null && isSameSchedule(before, trigger)) return {};
  return { nextRunAt: active ? nextRunOf(trigger, deps.now()) : null };
}

function nextVersion(
  deps: Deps,
  by: Principal,
  row: WorkflowRow,
  latest: WorkflowVersionRow | null,
): WorkflowVersionRow {
  return {
    id: deps.newId("workflowVersion"),
    workflowId: row.id,
    number: (latest?.number ?? 0) + 1,
    trigger: row.trigger,
    definition: row.definition,
    publishedAt: deps.now(),
    publishedBy: by.actor,
    publishedByPerson: personOf(by),
    changedBy: answeredFor(row.changedBy, by),
  };
}

/** Whether the version would count as another person's, when its publisher decides which connections it may use. */
async function takesOver(deps: Deps, by: Principal, row: WorkflowRow, latest: WorkflowVersionRow): Promise<boolean> {
  if (latest.publishedByPerson === personOf(by)) return false;
  const restricted = await restrictedUses(deps, actionsOf(row.definition));
  return restricted.some(({ usableBy }) => !isUsableIn(usableBy, row.id));
}

/** Layout does not make another version. */
function isSame(draft: WorkflowRow, version: WorkflowVersionRow): boolean {
  return (
    isDeepStrictEqual(draft.trigger, version.trigger) &&
    isDeepStrictEqual(withoutLayout(draft.definition), withoutLayout(version.definition))
  );
}
