import type { JobReport } from "../../../domain/job-order.ts";

/** How a job ends when no agent's result ends it; each is the failure's `code`. */
export type ServiceEnd =
  | "cancelled"
  | "queue_timeout"
  | "timed_out"
  | "agent_lost"
  | "agent_deleted"
  | "connection_disabled"
  | "connection_deleted"
  | "connection_unassigned"
  | "connection_moved"
  | "connection_not_usable"
  | "credential_superseded"
  | "agent_moved"
  | "secrets_unavailable"
  | "approval_outdated";

interface EndRule {
  readonly status: JobReport["status"];
  /** Whether an agent that had the job may have run it, or may still: then the outcome is unknown (invariant 5). */
  readonly lost: boolean;
  readonly message: string;
}

export const SERVICE_ENDS = {
  cancelled: { status: "cancelled", lost: false, message: "It was cancelled before an agent began it." },
  queue_timeout: {
    status: "failed",
    lost: false,
    message:
      "No agent took the job within its queueTimeoutSeconds. Mend why it waited and run it again, or raise the limit.",
  },
  timed_out: {
    status: "timed_out",
    lost: true,
    message:
      "The time limit is over and the agent has not reported an end; it was told to stop. The job may have done its " +
      "work in part: look at the target system before you run it again.",
  },
  agent_lost: {
    status: "failed",
    lost: true,
    message: "Nobody knows how far the job came. Look at the target system before you run it again.",
  },
  agent_deleted: {
    status: "failed",
    lost: false,
    message: "The agent of this connection was deleted. Give the connection another agent or a pool, and run it again.",
  },
  connection_disabled: {
    status: "failed",
    lost: false,
    message: "The connection is disabled. Enable it, and run it again.",
  },
  connection_deleted: {
    status: "failed",
    lost: false,
    message: "The connection was deleted. Choose another one in the workflow, and run it again.",
  },
  connection_unassigned: {
    status: "failed",
    lost: false,
    message: "The connection has neither an agent nor a pool. Assign one, and run it again.",
  },
  connection_moved: {
    status: "failed",
    lost: false,
    message: "The connection was moved to another agent or pool before an agent began this. Test the connection again.",
  },
  connection_not_usable: {
    status: "failed",
    lost: false,
    message:
      "This workflow may not use the connection: usableBy lists neither the workflow nor the person who published this " +
      "version, or that person has no access any more. Have someone who may use the connection publish the workflow, or " +
      "have an administrator add the workflow to usableBy. Then run it again.",
  },
  credential_superseded: {
    status: "cancelled",
    lost: false,
    message: "The credential was delivered anew, withdrawn or thrown away before the agent fetched this job.",
  },
  agent_moved: {
    status: "cancelled",
    lost: false,
    message: "The agent was moved to another pool, or deleted, before it fetched this job.",
  },
  secrets_unavailable: {
    status: "failed",
    lost: false,
    message:
      "The custom connection that secretsFrom names was disabled or deleted. Enable it, or name another one in the " +
      "workflow, and run it again.",
  },
  approval_outdated: {
    status: "failed",
    lost: false,
    message:
      "The connection's target, agent or pool was changed after the approval. Run this again from its start, so that " +
      "the connection is approved as it is now.",
  },
} as const satisfies Record<ServiceEnd, EndRule>;
