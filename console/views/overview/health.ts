import type { AgentView, PoolSummary, PoolView } from "../../../schema/contract/management.ts";
import type { WaitingCode } from "../../../schema/contract/waiting.ts";

export interface AgentCounts {
  Online: number;
  Degraded: number;
  Offline: number;
  /** Disabled agents of any status: they get no jobs. */
  disabled: number;
}

/** An agent with a lower score needs attention, even when it is online. */
const BAD_SCORE = 70;

type Agent = Pick<AgentView, "status" | "healthScore" | "enabled" | "lastHeartbeatAt">;

export function countAgents(agents: readonly Agent[]): AgentCounts {
  const counts = { Online: 0, Degraded: 0, Offline: 0, disabled: 0 };
  for (const { enabled, status } of agents) counts[enabled ? status : "disabled"] += 1;
  return counts;
}

/** Enabled agents that need attention, the worst first. An agent that never started only has an unfinished set-up. */
export function troubledAgents<T extends Agent>(agents: readonly T[]): T[] {
  return agents
    .filter(
      ({ enabled, status, healthScore, lastHeartbeatAt }) =>
        enabled && lastHeartbeatAt !== null && (status !== "Online" || healthScore < BAD_SCORE),
    )
    .toSorted((a, b) => a.healthScore - b.healthScore);
}

/**
 * Sorts pools: first those whose agents cannot take jobs, then those with an unhealthy agent, then the others, each by
 * name. A disabled agent is not a problem but takes no jobs. An agent that is not in `agents` is ignored.
 */
export function byNeed(
  pools: readonly PoolSummary[],
  agents: readonly Pick<AgentView, "poolId" | "enabled" | "status">[],
): PoolSummary[] {
  const members = Map.groupBy(agents, ({ poolId }) => poolId);
  const needOf = ({ id, agentCount }: PoolSummary) => {
    const known = members.get(id) ?? [];
    const enabled = known.filter((agent) => agent.enabled);
    if (known.length >= agentCount && enabled.every(({ status }) => status === "Offline")) return 0;
    return enabled.every(({ status }) => status === "Online") ? 2 : 1;
  };
  return pools.toSorted((a, b) => needOf(a) - needOf(b) || (a.id < b.id ? -1 : 1));
}

/** Short reasons for the waits of a pool's jobs. The pool's page has a full sentence for each job. */
const WAITING_LABELS = {
  no_agent: "the pool has no agent",
  never_started: "no agent has started yet",
  offline: "agents are offline",
  disabled: "agents are disabled",
  draining: "agents are shutting down",
  full: "agents are busy",
  no_credential: "agents lack the connection's credential",
  no_secrets: "agents lack the script's secrets",
  no_feature: "agents are too old for them",
  no_action: "agents are too old for their actions",
  not_polling: "agents do not poll for jobs",
  other_agent: "they belong to another agent",
  next_poll: "an agent fetches them with its next poll",
  moving: "they are being moved from another pool",
  database_unavailable: "the database does not answer",
} as const satisfies Record<WaitingCode, string>;

/** Why a pool's jobs wait, the most frequent reason first: "3: agents are busy". Empty when no job waits. */
export function waitingReasons(waiting: readonly Pick<PoolView["waiting"][number], "code">[]): string[] {
  const counts = new Map<WaitingCode, number>();
  for (const { code } of waiting) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .map(([code, count]) => (counts.size === 1 ? WAITING_LABELS[code] : `${count}: ${WAITING_LABELS[code]}`));
}
