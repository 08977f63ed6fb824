import type { Overview } from "../../../schema/contract/overview.ts";
import {
  IDEMPOTENCY_KEY_KEEP_MS,
  OVERVIEW_FAILED_SPAN_MS,
  OVERVIEW_FAILURES_MAX,
  OVERVIEW_WORKFLOWS_MAX,
} from "../../../schema/limits.ts";
import { countFailures, findFailingWorkflows } from "../../store/overview.ts";
import type { Deps } from "../deps.ts";
import { lowestIdAt } from "../ids.ts";
import { toIso, toSection } from "./section.ts";

/** Workflows with executions that started in the last day and failed: the same ones that the list shows from `from`. */
export async function failingWorkflows(deps: Deps): Promise<Overview["failing"]> {
  const at = deps.now() - OVERVIEW_FAILED_SPAN_MS;
  const since = { at, id: lowestIdAt("execution", at - IDEMPOTENCY_KEY_KEEP_MS) };
  const rows = await findFailingWorkflows(deps.db, since, OVERVIEW_WORKFLOWS_MAX + 1);
  const ids = rows.map(({ workflowId }) => workflowId);
  const counts =
    ids.length === 0 ? new Map<string, number>() : await countFailures(deps.db, ids, since, OVERVIEW_FAILURES_MAX);
  const section = toSection(rows, OVERVIEW_WORKFLOWS_MAX, (row) => ({
    workflowId: row.workflowId,
    workflowName: row.workflowName,
    failures: counts.get(row.workflowId) ?? 1,
    newest: {
      executionId: row.executionId,
      startedAt: toIso(row.startedAt),
      finishedAt: row.finishedAt === null ? null : toIso(row.finishedAt),
      message: row.message ?? "",
    },
  }));
  return { ...section, from: toIso(at) };
}
