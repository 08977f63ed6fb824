import type { JobStatus, JobView } from "../../../../schema/contract/execution.ts";

const WORDS: Readonly<Record<JobStatus, string>> = {
  queued: "The test waits for an agent.",
  assigned: "The test is assigned to an agent, which gets it with its next poll.",
  delivered: "The agent has the test, and has not begun it.",
  running: "The agent is testing.",
  succeeded: "The test has ended.",
  failed: "The test has ended.",
  timed_out: "The agent did not end the test in time.",
  cancelled: "The test was cancelled.",
};

/** Where a test stands that goes on as a job: why it waits, in the service's words where it has any. */
export function whereItStands(job: Pick<JobView, "status" | "waitingFor">): string {
  return job.waitingFor ?? WORDS[job.status];
}

export function isTerminal(status: JobStatus): boolean {
  return status === "succeeded" || status === "failed" || status === "timed_out" || status === "cancelled";
}
