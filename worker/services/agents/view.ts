import type { AgentView } from "../../../schema/contract/management.ts";
import type { AgentRow } from "../../store/agents.ts";
import type { Deps } from "../deps.ts";
import { fingerprintVerified } from "../fingerprint-verified.ts";
import { poolObjectOf } from "../objects.ts";
import type { AgentPresence } from "../../actors/dispatcher/index.ts";
import { neverHeard } from "../../actors/dispatcher/index.ts";
import { reach } from "../unavailable.ts";

/** Agents as the API shows them, with their current status from their dispatchers. */
export async function viewAgents(deps: Deps, rows: readonly AgentRow[]): Promise<AgentView[]> {
  const presences = await presenceOf(deps, rows);
  return rows.map((row) => toView(row, presences.get(row.id) ?? neverHeard(row.id, row.lastHeartbeatAt)));
}

export async function viewAgent(deps: Deps, row: AgentRow): Promise<AgentView> {
  const presences = await presenceOf(deps, [row], true);
  return toView(row, presences.get(row.id) ?? neverHeard(row.id, row.lastHeartbeatAt));
}

async function presenceOf(
  deps: Deps,
  rows: readonly AgentRow[],
  withJobs = false,
): Promise<Map<string, AgentPresence>> {
  const byPool = Map.groupBy(rows, poolObjectOf);
  const answers = await Promise.all(
    [...byPool].map(([poolObject, members]) =>
      reach("A pool does not answer, so the status of its agents is not known.", () =>
        deps.objects.dispatcher(poolObject).presence(
          members.map((row) => row.id),
          withJobs,
        ),
      ),
    ),
  );
  return new Map(answers.flat().map((presence) => [presence.agentId, presence]));
}

function toView(row: AgentRow, presence: AgentPresence): AgentView {
  const lastHeartbeatAt = presence.lastHeartbeatAt ?? row.lastHeartbeatAt;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    poolId: row.poolId,
    status: presence.status,
    healthScore: presence.healthScore,
    ...(presence.health === undefined ? {} : { health: presence.health }),
    enabled: row.enabled,
    ...(presence.draining === true ? { draining: true } : {}),
    ...(presence.rekeyed === true ? { rekeyed: true } : {}),
    runningJobs: presence.runningJobs,
    ...(presence.runningJobIds === undefined ? {} : { runningJobIds: presence.runningJobIds }),
    lastHeartbeatAt: lastHeartbeatAt === null ? null : new Date(lastHeartbeatAt).toISOString(),
    registration: row.registration,
    ...fingerprintVerified(row),
    revision: row.updatedAt,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}
