import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { findNodeRuns } from "../../store/execution-reads.ts";
import { findLateOutputs, findOpenJobs } from "../../store/job-reads.ts";
import type { Deps } from "../deps.ts";
import { liveJobStates } from "../jobs/live-states.ts";
import { findStartedExecution } from "./find-started.ts";
import { toNodeRunView, toSummary } from "./view.ts";

/** An execution with its node runs; those whose jobs are under way show what their Pools know, and cancelled ones what their jobs had come to. */
export async function getExecution(deps: Deps, id: string): Promise<ExecutionView> {
  const row = await findStartedExecution(deps, id);
  const [runs, openJobs] = await Promise.all([
    findNodeRuns(deps.db, id),
    isTerminalExecution(row.status) ? [] : findOpenJobs(deps.db, id),
  ]);
  const [live, late] = await Promise.all([
    liveJobStates(deps, openJobs),
    runs.some(({ run }) => run.status === "cancelled") ? findLateOutputs(deps.db, id) : new Map<string, JsonValue>(),
  ]);
  return {
    ...toSummary(row),
    nodeRuns: runs.map(({ run, output }) => {
      const jobId = run.jobId ?? "";
      const said = run.status === "cancelled" ? (output ?? late.get(jobId) ?? null) : output;
      return toNodeRunView(run, said, live.get(jobId));
    }),
  };
}
