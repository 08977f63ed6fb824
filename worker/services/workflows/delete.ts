import { deleteWorkflowQuerySchema } from "../../../schema/contract/delete-workflow.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { parseInput } from "../parse.ts";
import { requireUnused } from "../require-unused.ts";

/**
 * Deletes a workflow: nothing starts it, and its webhook key becomes invalid. Executions that have begun continue, those
 * that wait end (docs/design/workflows.md#runs-that-wait), and executions stay readable. It can be restored for 24 hours (`restore.ts`). Then its executions and versions are deleted
 * (`worker/services/retention/`), unless the caller leaves the executions to retention. Throws `conflict` while other published workflows call it, unless it is forced.
 */
export async function deleteWorkflow(
  deps: Deps,
  actor: string,
  id: string,
  query: unknown,
  expected: ExpectedRevisions = null,
): Promise<{ id: string }> {
  const { force, executions = "delete" } = parseInput(deleteWorkflowQuerySchema, query);
  await changeWorkflow(
    deps,
    id,
    async (row) => {
      if (force !== "true") await requireUnused(deps, "workflow", id);
      const audit = { actor, verb: "delete", detail: { name: row.name, executions } } as const;
      return { changes: "delete", keepsExecutions: executions === "keep", audit };
    },
    expected,
  );
  return { id };
}
