import type { Overview, WaitingApproval } from "../../../schema/contract/overview.ts";
import { OVERVIEW_ITEMS_MAX } from "../../../schema/limits.ts";
import { graphsOf } from "../../domain/graph/walk.ts";
import type { Excluded } from "../../domain/may-answer.ts";
import { findAskingRuns } from "../../store/overview.ts";
import type { Deps } from "../deps.ts";
import { definitionOf, excludedFrom, runnableNow, whyNotAnswerer } from "../executions/index.ts";
import { missingPermission } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { placeOf } from "../place-of.ts";
import { toIso } from "./section.ts";

type Asking = Awaited<ReturnType<typeof findAskingRuns>>[number];

/** The waiting approvals, the oldest first. */
export async function waitingApprovals(deps: Deps, by: Principal): Promise<Overview["approvals"]> {
  const rows = await findAskingRuns(deps.db, OVERVIEW_ITEMS_MAX + 1);
  const excluded = new Map<string, Promise<Excluded>>();
  const excludedOf = ({ execution }: Asking) => {
    const known =
      excluded.get(execution.id) ?? runnableNow(deps, execution).then((now) => excludedFrom(deps, execution, now));
    excluded.set(execution.id, known);
    return known;
  };
  const items = await Promise.all(
    rows.slice(0, OVERVIEW_ITEMS_MAX).map(async (row): Promise<WaitingApproval> => {
      const { run, execution, workflowName, message } = row;
      const definition = await definitionOf(deps, execution.versionId);
      const node = graphsOf(definition)
        .flatMap(({ graph }) => graph.nodes)
        .find(({ id }) => id === run.nodeId);
      const rule = node?.type === "approval" ? node : {};
      const refusal = by.permissions.has("automation:approve")
        ? await whyNotAnswerer(deps, rule, by, () => excludedOf(row))
        : missingPermission(by, "automation:approve");
      return {
        executionId: execution.id,
        nodeRunId: run.id,
        workflowId: execution.workflowId,
        workflowName,
        ...placeOf(run, definition),
        message,
        askedAt: toIso(run.queuedAt ?? 0),
        until: run.wakeAt === null ? null : toIso(run.wakeAt),
        mayAnswer: refusal === null,
        refusal,
      };
    }),
  );
  return { items, more: rows.length > OVERVIEW_ITEMS_MAX };
}
