import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { requireUnused } from "../require-unused.ts";

/**
 * Deletes a workflow: nothing starts it, and its webhook key becomes invalid. Running executions continue, and
 * executions stay readable. It can be restored for 24 hours (`restore.ts`); then its records are deleted
 * (`worker/services/retention/`). Throws `conflict` while other published workflows call it, unless it is forced.
 */
export async function deleteWorkflow(
  deps: Deps,
  actor: string,
  id: string,
  { expected = null, isForced = false }: { expected?: ExpectedRevisions; isForced?: boolean } = {},
): Promise<{ id: string }> {
  await changeWorkflow(
    deps,
    id,
    async (row) => {
      if (!isForced) await requireUnused(deps, "workflow", id);
      return { changes: "delete", audit: { actor, verb: "delete", detail: { name: row.name } } };
    },
    expected,
  );
  return { id };
}
