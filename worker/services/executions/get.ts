import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { outputsShown } from "../../domain/template/output-json.ts";
import { findNodeRuns } from "../../store/execution-reads.ts";
import type { NodeRunRow } from "../../store/execution-reads.ts";
import { findLateEnds, findOpenJobs } from "../../store/job-reads.ts";
import type { LateEnd } from "../../store/job-reads.ts";
import type { Deps } from "../deps.ts";
import { liveJobStates } from "../jobs/index.ts";
import { findStartedExecution } from "./find-started.ts";
import { answerersOf } from "./answerers-of.ts";
import { summaryOf } from "./summary-of.ts";
import { toNodeRunView } from "./view.ts";

/** An execution with its node runs: open jobs as their dispatchers know them, cancelled ones with how they ended. */
export async function getExecution(deps: Deps, id: string): Promise<ExecutionView> {
  const row = await findStartedExecution(deps, id);
  const [runs, openJobs] = await Promise.all([
    findNodeRuns(deps.db, id),
    isTerminalExecution(row.status) ? [] : findOpenJobs(deps.db, id),
  ]);
  const [live, late, answerers, summary] = await Promise.all([
    liveJobStates(deps, openJobs),
    runs.some(({ run }) => run.status === "cancelled") ? findLateEnds(deps.db, id) : new Map<string, LateEnd>(),
    answerersOf(deps, row, runs),
    summaryOf(deps, row),
  ]);
  const shown = outputsShown();
  const nodeRuns = runs.map(({ run, output }) => {
    const jobId = run.jobId ?? "";
    const end = run.status === "cancelled" ? late.get(jobId) : undefined;
    const beside = { live: live.get(jobId), lateTimes: end, answerers: answerers.get(run.nodeId) };
    return toNodeRunView(withLateEnd(run, end), shown(output ?? end?.output ?? null), beside);
  });
  return { ...summary, nodeRuns };
}

/** Only the agent knows whether the cancelled work has really stopped, and its report comes after the cancel. */
function withLateEnd(run: NodeRunRow, end: LateEnd | undefined): NodeRunRow {
  if (end?.error == null || run.error === null) return run;
  return { ...run, error: { ...run.error, message: `${run.error.message} Its agent: ${end.error.message}` } };
}
