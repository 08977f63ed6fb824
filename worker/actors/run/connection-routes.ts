import type { Definition } from "../../../schema/contract/workflow.ts";
import { BoundedMap } from "../kit/bounded-map.ts";
import { idsNamedIn } from "../../domain/graph/named-ids.ts";
import type { ConnectionRoute } from "./engine/types.ts";
import { findConnectionRoutes } from "../../store/connection-routes.ts";
import type { ConnectionRouteRow } from "../../store/connection-routes.ts";
import type { Deps } from "../../services/deps.ts";
import { poolObjectOf } from "../../services/objects.ts";

const KEEP_MS = 1_000;
const MAX_CACHED = 5_000;

/**
 * Where connections' jobs go. Only a hint may be old: Pool reads the connection anew at every assignment, and ends a
 * job as rerouted when it was moved. So a route that works is kept for a second; what would fail a node is read again.
 */
const cache = new BoundedMap<string, { route: ConnectionRoute; readAt: number }>(MAX_CACHED);

export async function routesOf(deps: Deps, definition: Definition): Promise<(id: string) => ConnectionRoute | null> {
  const ids = idsNamedIn(definition).connections;
  const now = deps.now();
  const routes = new Map<string, ConnectionRoute>();
  const missing: string[] = [];
  for (const id of ids) {
    const cached = cache.get(id);
    if (cached !== undefined && now - cached.readAt < KEEP_MS) routes.set(id, cached.route);
    else missing.push(id);
  }
  if (missing.length > 0) {
    for (const row of await findConnectionRoutes(deps.db, missing)) {
      const route = toRoute(row);
      routes.set(row.id, route);
      remember(row.id, route, now);
    }
  }
  return (id) => routes.get(id) ?? null;
}

function remember(id: string, route: ConnectionRoute, now: number): void {
  if (route.enabled && route.poolObject !== null) cache.set(id, { route, readAt: now });
  else cache.delete(id);
}

function toRoute(row: ConnectionRouteRow): ConnectionRoute {
  return {
    type: row.type,
    enabled: row.enabled,
    pinnedAgentId: row.agentId,
    poolObject:
      row.agentId !== null
        ? poolObjectOf({ id: row.agentId, poolId: row.agentPoolId })
        : row.poolId !== null
          ? `pool:${row.poolId}`
          : null,
  };
}
