import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeAndShow } from "./change-and-show.ts";

/** From the next request on, nothing starts the workflow (invariant 8). Executions that have begun continue. Safe to repeat. */
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
            changes: { publishedVersionId: null, publishedTriggerType: null, publishedPayload: null, nextRunAt: null },
            audit: { actor, verb: "unpublish", detail: { name: row.name, versionId: row.publishedVersionId } },
          },
    expected,
  );
}
