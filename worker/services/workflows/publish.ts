import { draftOf } from "../../../schema/contract/draft.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { publishWorkflowSchema } from "../../../schema/contract/publish.ts";
import { payloadNames } from "../../../schema/contract/webhook-trigger.ts";
import type { Definition, Trigger } from "../../../schema/contract/workflow.ts";
import { underPath } from "../../domain/graph/check-definition.ts";
import { approverWarnings, limitsApprovers } from "../../domain/graph/approver-warnings.ts";
import { findEnabledUsers } from "../../store/users.ts";
import { findVersionTrigger, insertVersion } from "../../store/workflows.ts";
import type { WorkflowRow, WorkflowVersionRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import { answeredFor, personOf } from "../principal.ts";
import type { Principal } from "../principal.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { isSameSchedule, nextRunOf } from "../schedule/index.ts";
import { requireAuthority } from "./authority.ts";
import { changeAndShow } from "./change-and-show.ts";
import { parseComplete } from "./check.ts";
import { findTarget } from "./publish-target.ts";
import type { PublishTarget } from "./publish-target.ts";
import { requireSecondPublisher } from "./second-publisher.ts";

/**
 * Makes an immutable version of the draft or of an earlier version, which triggers can start. The content is checked
 * whole: a draft may have problems, and a connection may be gone since it was saved. Throws `forbidden` for content that
 * the person may not bring into effect, even if others saved it.
 */
export async function publishWorkflow(
  deps: Deps,
  by: Principal,
  id: string,
  input: unknown,
  expected: ExpectedRevisions = null,
): Promise<WorkflowView> {
  const { message = "", versionId = null } = parseInput(publishWorkflowSchema, input);
  let warnings: readonly FieldError[] = [];
  const shown = await changeAndShow(
    deps,
    id,
    async (row) => {
      const target = await findTarget(deps, by, row, versionId);
      const { before, existing } = target;
      const { trigger, definition } = target.content;
      const { workflow: content, warnings: found } = await parseComplete(deps, {
        ...draftOf(row),
        trigger,
        definition,
      });
      warnings = [...found, ...(await tooFewApprovers(deps, content.definition))];
      requireSecondPublisher(deps, by, target);
      const isLive = existing !== null && existing.id === row.publishedVersionId;
      // A draft that was changed back has no changes left that anyone answers for.
      if (isLive && (versionId !== null || row.changedBy.length === 0)) return null;
      const authority = { before: before?.definition ?? null, after: content.definition };
      await requireAuthority(deps, by, { step: "publish", workflowId: id, ...authority });
      const version = existing ?? nextVersion(deps, by, { row, target: { ...target, content }, message });
      return {
        changes: {
          publishedVersionId: version.id,
          publishedTriggerType: version.trigger.type,
          publishedPayload: payloadNames(version.trigger),
          consecutiveFailures: 0,
          changedBy: target.draftChangedBy,
          ...(target.isEarlier ? {} : { problems: [] }),
          ...(await nextRunChange(deps, row, version.trigger)),
        },
        also: existing === null ? [insertVersion(deps.db, version)] : [],
        audit: {
          actor: by.actor,
          verb: "publish",
          detail: {
            name: row.name,
            versionId: version.id,
            number: version.number,
            ...(message === "" ? {} : { message }),
          },
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
  { row, target, message }: { row: WorkflowRow; target: PublishTarget; message: string },
): WorkflowVersionRow {
  return {
    id: deps.newId("workflowVersion"),
    workflowId: row.id,
    number: (target.before?.number ?? 0) + 1,
    trigger: target.content.trigger,
    definition: target.content.definition,
    publishedAt: deps.now(),
    publishedBy: by.actor,
    publishedByPerson: personOf(by),
    changedBy: answeredFor(target.changedBy, by),
    message: message === "" ? null : message,
  };
}
