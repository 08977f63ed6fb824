import type { RunsOn } from "../../../schema/contract/dry-run.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { actionsBeside, inabilityFor } from "../../domain/abilities.ts";
import type { Asks } from "../../domain/abilities.ts";
import { findCapabilities, findConnectionRoutes } from "../../store/connection-routes.ts";
import type { AgentCapabilities } from "../../store/connection-routes.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import { viewConnections } from "../connections/index.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { poolObjectOf } from "../objects.ts";
import type { AgentPresence } from "../../actors/dispatcher/index.ts";
import { failureMessage } from "../../store/errors.ts";

type Agents = { total: number; online: number } | null;
/** Null for a connection that does not exist. */
type FindRunsOn = (connectionId: string, asks: Asks) => RunsOn | null;

/** Finds where jobs of these connections would run now, and what they would wait for, given their requirements. */
export async function whereTheyRun(deps: Deps, connections: readonly ConnectionRow[]): Promise<FindRunsOn> {
  if (connections.length === 0) return () => null;
  const routes = await findConnectionRoutes(
    deps.db,
    connections.map(({ id }) => id),
  );
  const poolOfAgent = new Map(routes.map(({ agentId, agentPoolId }) => [agentId, agentPoolId]));
  const views = await viewConnections(deps, connections);
  const registered = await findCapabilities(deps.db, {
    agentIds: views.flatMap(({ agentId }) => agentId ?? []),
    poolIds: views.flatMap(({ poolId }) => poolId ?? []),
  });
  const asked = new Map<string, Promise<Agents>>();
  const agentsFor = ({ agentId, poolId }: ConnectionView): Promise<Agents> => {
    const key = agentId === null ? `pool ${poolId}` : `agent ${agentId}`;
    const answer =
      asked.get(key) ??
      (agentId === null
        ? poolId === null
          ? Promise.resolve({ total: 0, online: 0 })
          : agentsOfPool(deps, poolId)
        : oneAgent(deps, agentId, poolOfAgent.get(agentId) ?? null));
    asked.set(key, answer);
    return answer;
  };
  const places = await Promise.all(views.map(async (view) => ({ view, agents: await agentsFor(view) })));
  const placeOf = new Map(places.map((place) => [place.view.id, place]));
  return (connectionId, asks) => {
    const place = placeOf.get(connectionId);
    return place === undefined ? null : toRunsOn(place.view, place.agents, registered, asks);
  };
}

/** For actions that the service runs itself, without an agent. */
export function inTheService(connection: RunsOn | null): RunsOn {
  return {
    connectionId: connection?.connectionId ?? null,
    connectionName: connection?.connectionName ?? null,
    connectionType: connection?.connectionType ?? null,
    runner: "service",
    poolId: null,
    agentId: null,
    agents: null,
    waitingFor: null,
  };
}

function toRunsOn(view: ConnectionView, agents: Agents, registered: readonly AgentCapabilities[], asks: Asks): RunsOn {
  const { agentId, poolId } = view;
  const own = registered.filter((agent) => (agentId === null ? agent.poolId === poolId : agent.id === agentId));
  return {
    connectionId: view.id,
    connectionName: view.name,
    connectionType: view.type,
    runner: agentId !== null ? "agent" : poolId !== null ? "pool" : null,
    poolId,
    agentId,
    agents,
    waitingFor: unableAgents(view, own) ?? oldAgents(view, own, asks) ?? waitingFor(view, agents),
  };
}

/** An agent that registered no actions gets any action of protocol 1, and fails those without an executor. */
function unableAgents({ agentId, poolId, type }: ConnectionView, own: readonly AgentCapabilities[]): string | null {
  const unable = own.filter(
    ({ actions, capabilities }) => actions === undefined && !capabilities.includes(type),
  ).length;
  if (unable === 0) return null;
  if (agentId !== null) return `Its agent cannot run actions of type ${type}. ${whatToDo(own)}`;
  const who = unable === own.length ? "No agent" : `${unable} of the ${own.length} agents`;
  return `${who} of the pool ${poolId} can${unable === own.length ? "" : "not"} run actions of type ${type}. ${whatToDo(own)}`;
}

/** A job waits for an agent with a new enough version. */
function oldAgents({ agentId, poolId }: ConnectionView, own: readonly AgentCapabilities[], asks: Asks): string | null {
  const inabilities = new Set(
    own.map(({ features, actions }) => inabilityFor(asks, { features, actions: actionsBeside(actions) })),
  );
  if (own.length === 0 || inabilities.has(null)) return null;
  const feature =
    asks.features?.includes("targets") === true ? "connections with several hosts" : "named values, such as env";
  const what = inabilities.has("no_feature") ? feature : asks.action;
  if (agentId !== null) return `Its agent is too old for ${what}: update it.`;
  return `No agent of the pool ${poolId} is new enough for ${what}: update one.`;
}

function whatToDo(agents: readonly AgentCapabilities[]): string {
  const known = [...new Set(agents.flatMap(({ capabilities }) => capabilities))].sort().join(", ");
  return `Supported types: ${known || "none"}. Use a newer agent, or choose another connection.`;
}

function waitingFor({ agentId, credentialStatus, enabled, poolId }: ConnectionView, agents: Agents): string | null {
  // These end the node rather than make it wait, and are among the errors.
  if (!enabled || (agentId === null && poolId === null)) return null;
  if (agents === null) return "The pool does not answer, so its agents are unknown. Try again.";
  if (agents.online === 0) {
    if (agentId !== null) return "Its agent is offline or disabled: start it.";
    if (agents.total === 0)
      return `The pool ${poolId} has no agent yet. Create one in it and start it, or correct the connection's pool.`;
    if (agents.total === 1) return `The only agent of the pool ${poolId} is offline or disabled: start it.`;
    return `None of the ${agents.total} agents of the pool ${poolId} is online and enabled: start one.`;
  }
  if (credentialStatus === null || credentialStatus === "delivered") return null;
  return `The connection's credential is ${credentialStatus} for at least one agent: deliver it.`;
}

async function agentsOfPool(deps: Deps, poolId: string): Promise<Agents> {
  return quietly(async () => {
    const { members } = await deps.objects.dispatcher(poolObjectOf({ id: "", poolId })).view(poolId);
    return { total: members.length, online: members.filter(takesJobs).length };
  });
}

async function oneAgent(deps: Deps, agentId: string, poolId: string | null): Promise<Agents> {
  return quietly(async () => {
    const dispatcher = deps.objects.dispatcher(poolObjectOf({ id: agentId, poolId }));
    const [presence] = await dispatcher.presence([agentId]);
    return { total: 1, online: presence !== undefined && takesJobs(presence) ? 1 : 0 };
  });
}

/** A disabled agent is never shown Online. */
function takesJobs({ status, draining = false }: Pick<AgentPresence, "status" | "draining">): boolean {
  return status !== "Offline" && !draining;
}

/** A dispatcher that does not answer makes a preview incomplete, not impossible. */
async function quietly(ask: () => Promise<Agents>): Promise<Agents> {
  try {
    return await ask();
  } catch (error) {
    logWarning("a pool did not report its agents", { error: failureMessage(error) });
    return null;
  }
}
