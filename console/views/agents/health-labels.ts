import type { AgentView } from "../../../schema/contract/management.ts";
import { duration } from "../../strings/time.ts";
import { HEARTBEAT_FULL_SCORE_MS, OFFLINE_AFTER_MS } from "../../../schema/limits.ts";

const OFFLINE_S = OFFLINE_AFTER_MS / 1_000;

/** One half of a health score: how many of its 50 points an agent has, and why. */
export interface HealthPart {
  name: string;
  points: number;
  rule: string;
  why: string;
}

type Scored = Pick<AgentView, "health" | "lastHeartbeatAt" | "status" | "registration" | "rekeyed">;

/** Both halves of the score with their reasons, or null when the agent's pool does not report them. */
export function healthLabel({ health, ...agent }: Scored, now: number): HealthPart[] | null {
  if (health === undefined) return null;
  return [
    {
      name: "Heartbeat",
      points: health.heartbeatPoints,
      rule: `50 points while the last heartbeat is less than ${HEARTBEAT_FULL_SCORE_MS / 1_000} s old, falling to 0 at ${OFFLINE_S} s.`,
      why: heartbeatWhy(agent, health.heartbeatPoints, now),
    },
    {
      name: "Successful jobs",
      points: health.successPoints,
      rule: "50 points times the share of action jobs that succeeded within the last hour; 50 points without jobs. Cancelled jobs do not count.",
      why:
        health.finishedJobs === 0
          ? "No job ended within the last hour."
          : `${health.succeededJobs} of ${health.finishedJobs} ${health.finishedJobs === 1 ? "job" : "jobs"} succeeded within the last hour.`,
    },
  ];
}

function heartbeatWhy(
  { lastHeartbeatAt, registration, rekeyed = false }: Omit<Scored, "health">,
  points: number,
  now: number,
): string {
  if (lastHeartbeatAt === null) return registration === null ? "The agent has never called." : "No heartbeat yet.";
  const age = Math.max(0, now - Date.parse(lastHeartbeatAt));
  const last = `The last heartbeat came ${duration(age)} ago.`;
  if (rekeyed) return `${last} The key was regenerated since.`;
  // An agent that shuts down reports it, and loses its points immediately.
  if (points === 0 && age < 60_000) return `${last} The agent then reported that it stops.`;
  return last;
}

/** What the agent's status means for the jobs that it gets. */
export function statusLabel({
  status,
  enabled,
  draining,
  rekeyed,
}: Pick<AgentView, "status" | "enabled" | "draining" | "rekeyed">): string {
  if (!enabled) return "It is disabled and gets no new jobs.";
  if (rekeyed === true) return "It gets no jobs until it calls with its new key.";
  if (status === "Offline")
    return `It gets no jobs: it has sent no heartbeat for ${OFFLINE_S} s, has reported that it stops, or has never called.`;
  if (draining === true) return "It is shutting down: it finishes its jobs and gets no new ones.";
  if (status === "Degraded") {
    return "Fewer than half of at least five jobs in the last hour succeeded. It stays Degraded until 80 % succeed or the hour has no jobs. Agents with a higher score get jobs first.";
  }
  return "Free agents with a higher score get jobs first.";
}
