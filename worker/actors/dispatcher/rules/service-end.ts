import type { JobReport } from "../../../domain/job-order.ts";

interface EndRule {
  readonly status: JobReport["status"];
  /** Whether an agent that had the job may have run it or may still run it: its outcome is unknown (invariant 5). */
  readonly lost: boolean;
  readonly message: string;
}

const failed = (message: string): EndRule => ({ status: "failed", lost: false, message });
const cancelled = (message: string): EndRule => ({ status: "cancelled", lost: false, message });

/** How a job ends without a result of its agent, by the failure's `code`. */
export const SERVICE_ENDS = {
  cancelled: cancelled("The job was cancelled before an agent began it."),
  queue_timeout: failed(
    "No agent took the job within its queueTimeoutSeconds. Fix the cause of the wait and run it again, or raise the limit.",
  ),
  timed_out: {
    status: "timed_out",
    lost: true,
    message:
      "The job passed its time limit. Its agent was ordered to stop it and has not reported its end. The job may have " +
      "done part of its work. Check the target system before you run it again.",
  },
  agent_lost: {
    status: "failed",
    lost: true,
    message: "The job's progress is unknown. Check the target system before you run it again.",
  },
  agent_deleted: failed(
    "The agent of this connection was deleted. Give the connection another agent or a pool, and run it again.",
  ),
  connection_disabled: failed("The connection is disabled. Enable it, and run it again."),
  connection_deleted: failed("The connection was deleted. Choose another one in the workflow, and run it again."),
  connection_unassigned: failed("The connection has neither an agent nor a pool. Assign one, and run it again."),
  connection_moved: failed(
    "The connection was moved to another agent or pool before an agent began the test. Test the connection again.",
  ),
  connection_not_usable: failed(
    "This workflow may not use the connection: usableBy lists neither the workflow nor the person who published this " +
      "version, or that person no longer has access. Have someone who may use the connection publish the workflow, or " +
      "have an administrator add the workflow to usableBy. Then run it again.",
  ),
  credential_superseded: cancelled(
    "The credential was delivered again, withdrawn or discarded before the agent fetched this job.",
  ),
  agent_moved: cancelled("The agent was moved to another pool, or deleted, before it fetched this job."),
  secrets_unavailable: failed(
    "The custom connection that secretsFrom names was disabled or deleted. Enable it, or name another one in the " +
      "workflow, and run it again.",
  ),
  approval_outdated: failed(
    "The connection's target, agent or pool was changed after the approval. Run this again from its start, so that " +
      "the changed connection is approved.",
  ),
} satisfies Record<string, EndRule>;

export type ServiceEnd = keyof typeof SERVICE_ENDS;
