import type { AgentView } from "../../../schema/contract/management.ts";
import type { AgentCounts, Overview, UnhealthyAgent } from "../../../schema/contract/overview.ts";
import { OVERVIEW_AGENTS_MAX, OVERVIEW_ITEMS_MAX } from "../../../schema/limits.ts";
import { listAgents } from "../../store/agents.ts";
import type { AgentRow } from "../../store/agents.ts";
import { failureMessage } from "../../store/errors.ts";
import { viewAgents } from "../agents/index.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { poolObjectOf } from "../objects.ts";
import { toSection } from "./section.ts";

/** Counts of agents by status, and the unhealthy ones. A pool that does not answer hides only its own agents. */
export async function readAgents(deps: Deps): Promise<{ hasAgent: boolean; section: Overview["agents"] }> {
  const rows = await listAgents(deps.db, { beforeId: null, limit: OVERVIEW_AGENTS_MAX });
  const pools = [...Map.groupBy(rows, poolObjectOf)];
  const views = (await Promise.all(pools.map(([pool, members]) => viewsOf(deps, pool, members)))).flat();
  const section = toSection(views.filter(isUnhealthy).toSorted(byNeed), OVERVIEW_ITEMS_MAX, toItem);
  return { hasAgent: rows.length > 0, section: { ...section, counts: countsOf(views, rows.length - views.length) } };
}

async function viewsOf(deps: Deps, poolObject: string, members: readonly AgentRow[]): Promise<AgentView[]> {
  try {
    return await viewAgents(deps, members);
  } catch (error) {
    logWarning("a pool did not report the status of its agents", { poolObject, error: failureMessage(error) });
    return [];
  }
}

/** An agent that never called only has an unfinished set-up. */
function isUnhealthy({ enabled, status, lastHeartbeatAt }: AgentView): boolean {
  return enabled && lastHeartbeatAt !== null && status !== "Online";
}

/** Offline before degraded, then the lowest score. */
function byNeed(a: AgentView, b: AgentView): number {
  return Number(b.status === "Offline") - Number(a.status === "Offline") || a.healthScore - b.healthScore;
}

function toItem({ id, name, status, healthScore, health, lastHeartbeatAt }: AgentView): UnhealthyAgent {
  return { id, name, status, healthScore, health, lastHeartbeatAt };
}

function countsOf(views: readonly AgentView[], unknown: number): AgentCounts {
  const counts = { online: 0, degraded: 0, offline: 0, neverStarted: 0, disabled: 0, unknown };
  for (const view of views) counts[countOf(view)] += 1;
  return counts;
}

function countOf({ enabled, lastHeartbeatAt, status }: AgentView) {
  if (!enabled) return "disabled";
  return lastHeartbeatAt === null ? "neverStarted" : NAMES[status];
}

const NAMES = { Online: "online", Degraded: "degraded", Offline: "offline" } as const;
