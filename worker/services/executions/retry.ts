import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { LimitUse } from "../../../schema/contract/limit-group.ts";
import { retryExecutionSchema } from "../../../schema/contract/answer-execution.ts";
import type { TriggerAnswer } from "../../../schema/contract/webhook.ts";
import { runKeyOf } from "../../domain/run-key.ts";
import type { ExecutionRow } from "../../store/execution-reads.ts";
import { findRanAs, ranAsKey } from "../../store/suppressed-executions.ts";
import { findPublishedVersions } from "../../store/workflow-versions.ts";
import { toAuditRow } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { requireNoWindow } from "../maintenance/index.ts";
import { parseInput } from "../parse.ts";
import { withPerson } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import { reach } from "../unavailable.ts";
import { findStartedExecution } from "./find-started.ts";
import { requireAncestors } from "./require-ancestors.ts";
import { definitionOf } from "./version-of.ts";

/**
 * Runs a finished execution again as a new one with the same trigger, from the start or from what failed.
 * `version: published` takes the currently published version, such as a fixed one, and runs everything again.
 */
export async function retryExecution(deps: Deps, by: Principal, id: string, input: unknown): Promise<TriggerAnswer> {
  const { ignoreMaintenance = false, ...wanted } = parseInput(retryExecutionSchema, input);
  const row = await findStartedExecution(deps, id);
  const from = wanted.from ?? (row.status === "succeeded" || wanted.version === "published" ? "start" : "failed");
  refuse(row.status, from);
  if (!ignoreMaintenance) await requireNoWindow(deps, row, runKeyOf(row));
  return repeatExecution(deps, by, row, { ...wanted, from, ...(await firstRunOf(deps, row)) });
}

/** The first retry of a skipped execution is what runs it afterwards: *Run all* does not run it again. */
async function firstRunOf(deps: Deps, row: ExecutionRow): Promise<Pick<Repeat, "triggerKey">> {
  if (row.suppressed?.as !== "skipped" || (await findRanAs(deps.db, row)) !== null) return {};
  return { triggerKey: ranAsKey(row.id) };
}

interface Repeat {
  from: "start" | "failed";
  version: "same" | "published";
  /** Without it, each call starts a further execution. */
  triggerKey?: string;
}

/** Starts an ended execution again. */
export async function repeatExecution(
  deps: Deps,
  by: Principal,
  row: ExecutionRow,
  { from, version, triggerKey }: Repeat,
): Promise<TriggerAnswer> {
  const { id } = row;
  await requireAncestors(deps, id);
  // A retry of any version needs a published workflow (docs/design/workflows.md#published-and-active).
  const publishedId = await publishedVersion(deps, row);
  const versionId = version === "published" ? publishedId : row.versionId;
  const executionId = deps.newId("execution");
  const limits = await inheritedLimits(deps, row, executionId);
  const startedAt = deps.now();
  const started = await reach("The execution could not be started again.", () =>
    deps.objects.workflowRuns({ workflowId: row.workflowId }).start({
      executionId,
      workflowId: row.workflowId,
      versionId,
      trigger: row.trigger,
      triggerKey: triggerKey ?? executionId,
      webhookKey: null,
      startedAt,
      retry: { of: id, from },
      limits,
      startedBy: withPerson(row.startedBy, by),
      audit: toAuditRow(deps, {
        actor: by.actor,
        verb: "retry",
        subjectType: "execution",
        subjectId: id,
        detail: { workflowId: row.workflowId, executionId, versionId, from },
      }),
    }),
  );
  return { executionId: started.executionId, status: started.status, startedAt: new Date(startedAt).toISOString() };
}

/**
 * The limits of its ancestors: a sub-workflow that is repeated alone is a further run within them. Those that its
 * definition names are not among them, because the version that runs now may name others.
 */
async function inheritedLimits(deps: Deps, row: ExecutionRow, executionId: string): Promise<LimitUse[]> {
  if (row.limits === null) return [];
  const { limits = [] } = await definitionOf(deps, row.versionId);
  const isOwn = (use: LimitUse) => use.executionId === row.id && limits.some(({ groupId }) => groupId === use.groupId);
  const inherited = row.limits.uses.filter((use) => !isOwn(use));
  return inherited.map((use) => ({ ...use, executionId }));
}

function refuse(status: ExecutionStatus, from: "start" | "failed"): void {
  if (!isTerminalExecution(status)) {
    throw new ProblemError("conflict", "This execution is still running. Wait until it ends or cancel it, then retry.");
  }
  if (status === "succeeded" && from === "failed") {
    throw new ProblemError(
      "conflict",
      'This execution succeeded, so nothing failed in it. Retry it with from: "start".',
    );
  }
}

async function publishedVersion(deps: Deps, { workflowId }: ExecutionRow): Promise<string> {
  const [published] = await findPublishedVersions(deps.db, [workflowId]);
  if (published !== undefined) return published.versionId;
  throw new ProblemError("conflict", "The workflow is not published, so there is no version to run. Publish it first.");
}
