import { RESTART_GRACE_MS } from "../../../schema/limits.ts";
import { jobDeadline } from "../../actors/dispatcher/rules/job-deadline.ts";
import type { JobDeadline } from "../../actors/dispatcher/rules/job-deadline.ts";
import type { AgentBook } from "./agent-book.ts";
import type { LiveJob } from "./job-book.ts";

/**
 * When Pool ends a job by itself; null when it does not. Right after an outage nothing that an agent holds is ended: its
 * result may be waiting in the agent's journal for the service to come back.
 */
export function deadlineOf(live: LiveJob, agents: AgentBook): JobDeadline | null {
  const deadline = jobDeadline(live.job);
  if (deadline === null || live.job.stage.type !== "delivered") return deadline;
  return { ...deadline, at: Math.max(deadline.at, (agents.graceFrom ?? 0) + RESTART_GRACE_MS) };
}
