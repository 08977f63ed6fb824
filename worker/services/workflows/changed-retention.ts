import type { JsonObject } from "../../../schema/contract/json.ts";
import type { WorkflowRetention } from "../../../schema/contract/retention.ts";
import { choosePeriods, periodsAt, withDefaults } from "../../domain/retention.ts";
import type { WorkflowRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { readPeriods } from "../retention/index.ts";

/**
 * A change of how long a workflow's executions are kept: the former periods that apply for a day, if any became shorter,
 * and both choices for the audit log. Null without a change.
 */
export async function changedRetention(
  deps: Deps,
  row: Pick<WorkflowRow, "retention" | "retentionFormer">,
  after: WorkflowRetention | null,
): Promise<(Pick<WorkflowRow, "retentionFormer"> & { detail: JsonObject }) | null> {
  const { retention: before, retentionFormer } = row;
  if (before?.executionDays === after?.executionDays && before?.failedDays === after?.failedDays) return null;
  const now = deps.now();
  const defaults = periodsAt(await readPeriods(deps), now);
  const chosen = choosePeriods(
    { periods: withDefaults(before, defaults), former: retentionFormer },
    withDefaults(after, defaults),
    now,
  );
  return { retentionFormer: chosen.former, detail: { retention: { ...after }, retentionBefore: { ...before } } };
}
