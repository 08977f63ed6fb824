import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { findNodeRuns } from "../../store/execution-reads.ts";
import { findOpenJobs } from "../../store/job-reads.ts";
import type { Deps } from "../deps.ts";
import { liveJobStates } from "../jobs/live-states.ts";
import { findStartedExecution } from "./find-started.ts";
import { toNodeRunView, toSummary } from "./view.ts";

/** An execution with its node runs; those whose jobs are under way show what their Pools know. */
export async function getExecution(deps: Deps, id: string): Promise<ExecutionView> {
  const row = await findStartedExecution(deps, id);
  const [runs, openJobs] = await Promise.all([
    findNodeRuns(deps.db, id),
    isTerminalExecution(row.status) ? [] : findOpenJobs(deps.db, id),
  ]);
  const live = await liveJobStates(deps, openJobs);
  return {
    ...toSummary(row),
    nodeRuns: runs.map(({ run, output }) => toNodeRunView(run, output, live.get(run.jobId ?? ""))),
  };
}
