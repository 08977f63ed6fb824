import type { AgentView } from "../../../schema/contract/management.ts";
import { agents } from "../../strings/en/agents.ts";

const text = agents.health;

/** One half of a health score: how many of its 50 points an agent has, and why. */
export interface HealthPart {
  name: string;
  points: number;
  rule: string;
  why: string;
}

type Scored = Pick<AgentView, "health" | "lastHeartbeatAt" | "rekeyed">;

/** Both halves of the score of an agent that has registered, with their reasons, or null when the agent's pool does not report them. */
export function healthLabel({ health, ...agent }: Scored, now: number): HealthPart[] | null {
  if (health === undefined) return null;
  const { heartbeatPoints, successPoints, succeededJobs, finishedJobs } = health;
  const { heartbeat, success } = text;
  return [
    {
      name: heartbeat.name,
      points: heartbeatPoints,
      rule: heartbeat.rule,
      why: heartbeatWhy(agent, heartbeatPoints, now),
    },
    {
      name: success.name,
      points: successPoints,
      rule: success.rule,
      why: finishedJobs === 0 ? success.none : success.share(succeededJobs, finishedJobs),
    },
  ];
}

function heartbeatWhy(
  { lastHeartbeatAt, rekeyed = false }: Omit<Scored, "health">,
  points: number,
  now: number,
): string {
  const { none, last, lastBeforeRekey, lastBeforeEnd } = text.heartbeat;
  if (lastHeartbeatAt === null) return none;
  const ageMs = Math.max(0, now - Date.parse(lastHeartbeatAt));
  if (rekeyed) return lastBeforeRekey(ageMs);
  // An agent that shuts down reports it, and loses its points immediately.
  return points === 0 && ageMs < 60_000 ? lastBeforeEnd(ageMs) : last(ageMs);
}

/** What the agent's status means for the jobs that it gets. */
export function statusLabel({
  status,
  enabled,
  draining,
  rekeyed,
  registration,
}: Pick<AgentView, "status" | "enabled" | "draining" | "rekeyed" | "registration">): string {
  const { effect } = text;
  if (!enabled) return effect.disabled;
  if (rekeyed === true) return effect.rekeyed;
  if (registration === null) return effect.neverStarted;
  if (status === "Offline") return effect.offline;
  if (draining === true) return effect.draining;
  return status === "Degraded" ? effect.degraded : effect.online;
}
