import { beginSuppressedSchema } from "../../../schema/contract/maintenance.ts";
import type { BegunSuppressed } from "../../../schema/contract/maintenance.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { TriggerAnswer } from "../../../schema/contract/webhook.ts";
import type { ExecutionRow } from "../../store/execution-reads.ts";
import { findRanAs, leftSuppressed, ranAsKey } from "../../store/suppressed-executions.ts";
import { toAuditRow } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { findStartedExecution, repeatExecution } from "../executions/index.ts";
import { parseInput } from "../parse.ts";
import { withPerson } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import { reach } from "../unavailable.ts";
import { requireWindow } from "./get.ts";

const PORTION = 50;

/**
 * Runs what a maintenance window kept from beginning. A held one begins now, also while windows are open; a skipped one is
 * started again with the same trigger. Each runs once, however often this is called.
 */
export async function beginSuppressed(deps: Deps, by: Principal, id: string): Promise<TriggerAnswer> {
  const row = await findStartedExecution(deps, id);
  if (row.suppressed === null) {
    throw new ProblemError(
      "conflict",
      "No maintenance window keeps this execution from beginning, so there is nothing to do.",
    );
  }
  return row.suppressed.as === "skipped" ? runSkipped(deps, by, row) : beginHeld(deps, by, row);
}

/** Runs the oldest of what is left of a window; `next` leads to the others. */
export async function beginAllSuppressed(
  deps: Deps,
  by: Principal,
  windowId: string,
  input: unknown,
): Promise<BegunSuppressed> {
  const { after = null } = parseInput(beginSuppressedSchema, input);
  await requireWindow(deps, windowId);
  const rows = await leftSuppressed(deps.db, windowId, { afterId: after, limit: PORTION + 1 });
  const some = rows.slice(0, PORTION);
  const failed: BegunSuppressed["failed"] = [];
  for (const { id: executionId } of some) {
    try {
      const { status } = await beginSuppressed(deps, by, executionId);
      if (status === "cancelled" || status === "failed") {
        failed.push({ executionId, detail: `It ended as ${status} without having begun. Its page says why.` });
      }
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code === "unavailable") throw error;
      failed.push({ executionId, detail: error.message });
    }
  }
  return {
    begun: some.length - failed.length,
    failed,
    next: rows.length > PORTION ? (some.at(-1)?.id ?? null) : null,
  };
}

async function beginHeld(deps: Deps, by: Principal, row: ExecutionRow): Promise<TriggerAnswer> {
  if (row.status === "cancelled" && row.begunAt === null) {
    throw new ProblemError("conflict", "This execution was cancelled before it began. Retry it to run it.");
  }
  const audit = toAuditRow(deps, {
    actor: by.actor,
    verb: "begin",
    subjectType: "execution",
    subjectId: row.id,
    detail: { workflowId: row.workflowId },
  });
  const status = await reach("The execution could not begin.", () =>
    deps.objects.workflowRuns({ workflowId: row.workflowId }).begin(row.id, withPerson([], by), audit),
  );
  return answerOf(row.id, status ?? row.status, row.startedAt);
}

async function runSkipped(deps: Deps, by: Principal, row: ExecutionRow): Promise<TriggerAnswer> {
  const ranAs = await findRanAs(deps.db, row);
  if (ranAs !== null) {
    const { status, startedAt } = await findStartedExecution(deps, ranAs);
    return answerOf(ranAs, status, startedAt);
  }
  return repeatExecution(deps, by, row, { from: "start", version: "same", triggerKey: ranAsKey(row.id) });
}

function answerOf(executionId: string, status: ExecutionStatus, startedAt: number): TriggerAnswer {
  return { executionId, status, startedAt: new Date(startedAt).toISOString() };
}
