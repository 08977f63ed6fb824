import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { requireUnused } from "../require-unused.ts";

/**
 * Deletes a workflow; nothing starts it any more, its webhook key is one no longer. What runs goes on to its end, and
 * its versions and executions stay to be read. Throws `conflict` while other published workflows call it, unless it is
 * forced.
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
