import type { JobStatus, JobView } from "../../../../schema/contract/execution.ts";
import { connections } from "../../../strings/en/connections.ts";

/** The progress of a test that runs as a job: the service's reason for a wait, otherwise the status. */
export function progressLabel(job: Pick<JobView, "status" | "waitingFor">): string {
  return job.waitingFor ?? connections.test.progress[job.status];
}

export function isTerminal(status: JobStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "timed_out" || status === "cancelled";
}
