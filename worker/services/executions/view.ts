import type { ExecutionSummary, NodeRunStatus, NodeRunView } from "../../../schema/contract/execution.ts";
import { isTerminalNodeRun } from "../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { Hold, MaintenanceHold } from "../../../schema/contract/hold.ts";
import type { Waiting } from "../../../schema/contract/waiting.ts";
import type { JobTimes } from "../../domain/job-order.ts";
import { runKeyOf } from "../../domain/run-key.ts";
import { shownTrigger } from "../../domain/sensitive.ts";
import { ownValue } from "../../domain/template/index.ts";
import type { ExecutionRow, NodeRunRow } from "../../store/execution-reads.ts";
import { toTimeline } from "../jobs/index.ts";
import type { JobState } from "../../actors/dispatcher/index.ts";
import { shownTime } from "../../domain/shown-time.ts";

export function toSummary(row: ExecutionRow): ExecutionSummary {
  const key = runKeyOf(row);
  return {
    id: row.id,
    workflowId: row.workflowId,
    versionId: row.versionId,
    status: row.status,
    ...(key === null ? {} : { key }),
    trigger: shownTrigger(row.trigger),
    startedAt: new Date(row.startedAt).toISOString(),
    finishedAt: row.finishedAt === null ? null : new Date(row.finishedAt).toISOString(),
    error: row.error,
    revision: row.revision,
    retryOf: row.retryOf,
    parentExecutionId: row.parentExecutionId,
    ...(row.hold === null || row.status !== "running" ? {} : { waiting: toBegin(row.hold, row.concurrencyKey) }),
    ...(row.supersededBy === null || row.status !== "running" ? {} : { supersededBy: row.supersededBy }),
  };
}

export interface BesideNodeRun {
  /** The job's state in its dispatcher, until it has ended. */
  live?: JobState | undefined;
  /** Times that the job reported after a cancel, which does not wait for it. */
  lateTimes?: JobTimes | undefined;
  /** The people who may answer an approval, as the text after "someone's approval". */
  answerers?: string | undefined;
}

export function toNodeRunView(
  row: NodeRunRow,
  output: JsonValue | null,
  { live, lateTimes, answerers = "" }: BesideNodeRun,
): NodeRunView {
  const iteration = row.iterationPath === "" ? [] : row.iterationPath.split(".").map(Number);
  const index = iteration.at(-1);
  const current = isTerminalNodeRun(row.status) ? undefined : live;
  const waiting = current?.waiting ?? waitsFor(row, output, answerers);
  return {
    id: row.id,
    nodeId: row.nodeId,
    ...(index === undefined ? {} : { index, iteration }),
    status: statusOf(row.status, current),
    outcome: row.outcome,
    attempt: row.attempt,
    jobId: row.jobId,
    childExecutionId: row.childExecutionId,
    output: row.childExecutionId === null ? output : withoutVariables(output),
    error: row.error,
    ...(row.warnings === null ? {} : { warnings: [...row.warnings] }),
    waitingFor: waiting?.detail ?? null,
    waiting,
    timeline: toTimeline(row, current?.times ?? lateTimes),
  };
}

/** Why an execution has not begun. */
function toBegin(hold: Hold, key: string | null): Waiting {
  switch (hold.code) {
    case "concurrency":
      return {
        code: "earlier_run",
        detail: `its turn: an earlier run${key ? withKey(key) : " of the workflow"} has not ended`,
      };
    case "collecting": {
      const until = new Date(hold.until).toISOString();
      return {
        code: "collecting",
        until,
        detail: `further events${withKey(hold.asks?.writtenKey ?? hold.key)}, until ${shownTime(hold.until)}`,
      };
    }
    case "maintenance":
      return inMaintenance(hold);
  }
}

function inMaintenance({ until: end, window: { name } }: MaintenanceHold): Waiting {
  if (end === undefined) {
    return { code: "maintenance", detail: `a person to run it: the maintenance window "${name}" asks for that` };
  }
  const until = new Date(end).toISOString();
  return { code: "maintenance", until, detail: `the end of the maintenance window "${name}", at ${shownTime(end)}` };
}

function withKey(key: string): string {
  return key === "" ? "" : ` with the key "${key}"`;
}

/** The variables for a sub-workflow may be sensitive there. They stay in the output of a step that ends before it. */
function withoutVariables(output: JsonValue | null): JsonValue | null {
  if (!isJsonObject(output)) return output;
  const { variables: _ofSubWorkflow, ...shown } = output;
  return shown;
}

/** A node run whose job has no agent yet is shown as waiting, regardless of its stored status. */
export function statusOf(stored: NodeRunStatus, live: JobState | undefined): NodeRunStatus {
  switch (live?.status) {
    case "queued":
    case "assigned":
      return "waiting";
    case "delivered":
    case "finished":
      return "running";
    case undefined:
      return stored;
  }
}

/** The reason why a node run without a job in a dispatcher waits. */
function waitsFor(row: NodeRunRow, output: JsonValue | null, answerers: string): Waiting | null {
  const { childExecutionId: executionId } = row;
  if (executionId !== null && row.status === "running") {
    return { code: "sub_workflow", executionId, detail: `the execution ${executionId} to end` };
  }
  if (row.status !== "waiting") return null;
  const until = row.wakeAt === null ? undefined : new Date(row.wakeAt).toISOString();
  if (row.error !== null && until !== undefined) {
    return { code: "retry", until, detail: `attempt ${row.attempt + 1}, which begins at ${until}` };
  }
  const question = ownValue(output ?? undefined, ["message"]);
  if (question !== undefined) {
    const detail = `someone's approval${answerers}`;
    return until === undefined
      ? { code: "approval", detail }
      : { code: "approval", until, detail: `${detail}, until ${until}` };
  }
  if (until !== undefined && ownValue(output ?? undefined, ["batch"]) !== undefined) {
    return { code: "next_batch", until, detail: `the next batch, which begins at ${until}` };
  }
  return until === undefined ? null : { code: "delay", until, detail: `${until}, when its delay is over` };
}
