import { isDeepStrictEqual } from "node:util";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { findLatestVersion, insertVersion } from "../../store/workflows.ts";
import type { WorkflowRow, WorkflowVersionRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { checkDraft } from "./check.ts";
import { toView } from "./view.ts";

/**
 * Makes an immutable version of the draft and lets triggers start it. The draft is checked again: a connection may
 * have gone since it was saved. An unchanged draft makes no new version, so that publishing twice is publishing once.
 */
export async function publishWorkflow(deps: Deps, actor: string, id: string): Promise<WorkflowView> {
  const row = await changeWorkflow(deps, id, async (row) => {
    await checkDraft(deps, row.trigger, row.definition);
    const latest = await findLatestVersion(deps.db, id);
    const unchanged = latest !== null && isSame(row, latest);
    if (unchanged && row.publishedVersionId === latest.id) return null;
    const version = unchanged ? latest : nextVersion(deps, actor, row, latest);
    return {
      changes: {
        publishedVersionId: version.id,
        publishedTriggerType: version.trigger.type,
        // Another schedule: the next tick works out when it is due.
        nextRunAt: null,
      },
      also: unchanged ? [] : [insertVersion(deps.db, version)],
      audit: { actor, verb: "publish", detail: { name: row.name, versionId: version.id, number: version.number } },
    };
  });
  return toView(row);
}

function nextVersion(
  deps: Deps,
  actor: string,
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
    publishedBy: actor,
  };
}

function isSame(draft: WorkflowRow, version: WorkflowVersionRow): boolean {
  return isDeepStrictEqual(draft.trigger, version.trigger) && isDeepStrictEqual(draft.definition, version.definition);
}
