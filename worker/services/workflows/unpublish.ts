import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { toView } from "./view.ts";

/** Nothing starts the workflow any more, from the next request on (invariant 8). What runs goes on. Safe to repeat. */
export async function unpublishWorkflow(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<WorkflowView> {
  const row = await changeWorkflow(
    deps,
    id,
    (row) =>
      row.publishedVersionId === null
        ? null
        : {
            changes: { publishedVersionId: null, publishedTriggerType: null, nextRunAt: null },
            audit: { actor, verb: "unpublish", detail: { name: row.name, versionId: row.publishedVersionId } },
          },
    expected,
  );
  return toView(row);
}
