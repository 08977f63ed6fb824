import type { JobStatus, JobView } from "../../../../schema/contract/execution.ts";

const LABELS: Readonly<Record<JobStatus, string>> = {
  queued: "The test waits for an agent.",
  assigned: "The test is assigned to an agent, which gets it with its next poll.",
  delivered: "The agent has the test and has not started it.",
  running: "The agent is testing.",
  succeeded: "The test has ended.",
  failed: "The test has ended.",
  timed_out: "The agent did not finish the test in time.",
  cancelled: "The test was cancelled.",
};

/** The progress of a test that runs as a job: the service's reason for a wait, otherwise the status. */
export function progressLabel(job: Pick<JobView, "status" | "waitingFor">): string {
  return job.waitingFor ?? LABELS[job.status];
}

export function isTerminal(status: JobStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "timed_out" || status === "cancelled";
}
