import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeAndShow } from "./change-and-show.ts";

/** Nothing starts the workflow any more, from the next request on (invariant 8). What runs goes on. Safe to repeat. */
export async function unpublishWorkflow(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<WorkflowView> {
  return changeAndShow(
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
}
