import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeWorkflow } from "./change-workflow.ts";

/**
 * Deletes a workflow; nothing starts it any more, its webhook key is one no longer. What runs goes on to its end, and
 * its versions and executions stay to be read.
 */
export async function deleteWorkflow(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<{ id: string }> {
  await changeWorkflow(
    deps,
    id,
    (row) => ({
      changes: "delete",
      audit: { actor, verb: "delete", detail: { name: row.name } },
    }),
    expected,
  );
  return { id };
}
