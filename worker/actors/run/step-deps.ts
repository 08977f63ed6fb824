import { targetListOf } from "../../../schema/contract/target-list.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { idsNamedIn } from "../../domain/graph/named-ids.ts";
import { traceparentOf } from "../../domain/trace/trace-ids.ts";
import type { Deps } from "../../services/deps.ts";
import { poolObjectOf } from "../../services/objects.ts";
import { ProblemError } from "../../services/problem.ts";
import { resolveInputs } from "../../services/workflows/index.ts";
import { findConnectionRoutes } from "../../store/connection-routes.ts";
import type { ConnectionRouteRow } from "../../store/connection-routes.ts";
import { findPublishedVersions } from "../../store/workflow-versions.ts";
import type { PublishedVersion, RunnableVersion } from "../../store/workflow-versions.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import type { ChildTarget, ConnectionRoute, StepDeps } from "./engine/types.ts";

const ROUTE_KEPT_MS = 1_000;
const MAX_ROUTES = 5_000;

/**
 * The dependencies of a step of this version, in an execution below this outermost one. Read before the step, which
 * reads nothing itself.
 */
export async function stepDepsOf(
  deps: Deps,
  { definition, publishedByPerson }: RunnableVersion,
  rootId: string,
): Promise<StepDeps> {
  const [route, child] = await Promise.all([routesOf(deps, definition), childrenOf(deps, definition)]);
  const { tracing } = deps.settings;
  return {
    newId: deps.newId,
    publishedBy: publishedByPerson,
    route,
    child,
    ...(tracing === null ? {} : { traceparent: (jobId) => traceparentOf(rootId, jobId, tracing.share) }),
  };
}

/**
 * The routes of connections. A route may be outdated, because the dispatcher reads the connection again at every
 * delivery and reroutes the job if it moved. A working route is kept for a second; one that could fail a node is read
 * again. With targets, the node's host decides that.
 */
const cache = new BoundedMap<string, { route: ConnectionRoute; readAt: number }>(MAX_ROUTES);

async function routesOf(deps: Deps, definition: Definition): Promise<(id: string) => ConnectionRoute | null> {
  const { connections: ids, withTarget } = idsNamedIn(definition);
  const now = deps.now();
  const routes = new Map<string, ConnectionRoute>();
  const missing: string[] = [];
  for (const id of ids) {
    const cached = withTarget.has(id) ? undefined : cache.get(id);
    if (cached !== undefined && now - cached.readAt < ROUTE_KEPT_MS) routes.set(id, cached.route);
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
  if (route.enabled && route.poolObject !== null && route.targets === null) cache.set(id, { route, readAt: now });
  else cache.delete(id);
}

function toRoute(row: ConnectionRouteRow): ConnectionRoute {
  return {
    name: row.name,
    type: row.type,
    enabled: row.enabled,
    targets: targetListOf(row.config),
    pinnedAgentId: row.agentId,
    poolObject:
      row.agentId !== null
        ? poolObjectOf({ id: row.agentId, poolId: row.agentPoolId })
        : row.poolId !== null
          ? `pool:${row.poolId}`
          : null,
  };
}

/**
 * The published versions that a definition starts. Read every time, so that unpublishing takes effect (invariant 8).
 */
async function childrenOf(deps: Deps, definition: Definition): Promise<StepDeps["child"]> {
  const ids = idsNamedIn(definition).workflows;
  if (ids.length === 0) return () => null;
  const versions = await findPublishedVersions(deps.db, ids);
  const targets = new Map(versions.map((version) => [version.workflowId, toTarget(version)]));
  return (workflowId) => targets.get(workflowId) ?? null;
}

function toTarget({ versionId, trigger }: PublishedVersion): ChildTarget {
  return {
    versionId,
    resolve(variables) {
      if (trigger.type !== "manual" || trigger.inputs === undefined) return { ok: true, variables };
      try {
        return { ok: true, variables: resolveInputs(trigger.inputs, variables) };
      } catch (error) {
        if (!(error instanceof ProblemError) || error.errors === undefined) throw error;
        return { ok: false, problem: error.errors.map(({ path, message }) => `${path} ${message}`).join("; ") };
      }
    },
  };
}
