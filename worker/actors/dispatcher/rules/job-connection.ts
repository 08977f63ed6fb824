import type { AgentFeature } from "../../../../schema/contract/agent.ts";
import { takesCredential } from "../../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../../schema/contract/json.ts";
import { sealedWorkflows } from "../../../../schema/contract/usable-by.ts";
import type { UsableBy } from "../../../../schema/contract/usable-by.ts";
import type { WantedCredential } from "../../../domain/credential/usable.ts";
import type { JobFacts } from "./job.ts";
import type { ServiceEnd } from "./service-end.ts";

/** A connection as it stands when a job is assigned (docs/design/dispatch.md#deliveries). */
export interface JobConnection {
  readonly id: string;
  readonly type: ConnectionType;
  readonly config: JsonObject;
  readonly enabled: boolean;
  /** See `needsCredential` in schema/contract/connection.ts. */
  readonly needsCredential: boolean | null;
  /** Null: everyone. */
  readonly usableBy: UsableBy | null;
  /** Where its jobs go now; null when it has neither agent nor pool. */
  readonly target: { readonly poolObject: string; readonly pinnedAgentId: string | null } | null;
  /** Whether any of its agents was given a credential: one that could do without is then run where that is. */
  readonly hasCredential: boolean;
  /** Whether any of them has it by now. */
  readonly isDelivered: boolean;
  /** True when the agent that it names was deleted. */
  readonly agentDeleted: boolean;
  /** What an agent's credential must be like to be used for it; null for a type that has none. */
  readonly wanted: ((agentId: string) => WantedCredential) | null;
  /** Where it leads: see `Approved.targets`. */
  readonly approvedTarget: () => string;
}

export type ConnectionVerdict =
  | { readonly type: "run"; readonly pinnedAgentId: string | null; readonly needsCredential: boolean }
  | { readonly type: "reroute"; readonly poolObject: string; readonly pinnedAgentId: string | null }
  | { readonly type: "end"; readonly end: ServiceEnd; readonly why?: string };

/** What the connection, read anew, means for a job that waits in the dispatcher `facts.poolObject`; null: there is none. */
export function judgeConnection(facts: JobFacts, connection: JobConnection | null): ConnectionVerdict {
  if (connection === null) return { type: "end", end: "connection_deleted" };
  // Testing is how one finds out whether a connection can be enabled again.
  if (!connection.enabled && facts.kind === "action") return { type: "end", end: "connection_disabled" };
  if (isOutdated(facts, connection)) return outdated(connection);
  if (connection.agentDeleted) return { type: "end", end: "agent_deleted" };
  if (connection.target === null) return { type: "end", end: "connection_unassigned" };
  const { poolObject, pinnedAgentId } = connection.target;
  if (poolObject !== facts.poolObject) {
    // Nothing but an execution can order a job again.
    if (facts.executionId === null) return { type: "end", end: "connection_moved" };
    return { type: "reroute", poolObject, pinnedAgentId };
  }
  // While nobody has the credential, a test on any agent says so; after that, one without it says nothing of the rest.
  const isInNeed = facts.kind === "action" || connection.isDelivered;
  return { type: "run", pinnedAgentId, needsCredential: isInNeed && asksForCredential(connection) };
}

export function outdated({ id }: JobConnection): ConnectionVerdict {
  return { type: "end", end: "approval_outdated", why: `It is the connection ${id}.` };
}

/** Whether a connection leads elsewhere now than when the execution was approved. */
export function isOutdated({ approvedTargets }: JobFacts, { id, approvedTarget }: JobConnection): boolean {
  return approvedTargets !== undefined && approvedTargets[id] !== approvedTarget();
}

/**
 * What an agent must be able to do for a job: what its order says, and for a credential that is for certain workflows,
 * that it refuses others. `connections` are the job's, as they are now.
 */
export function featuresFor(
  { kind, features = [] }: Pick<JobFacts, "kind" | "features">,
  connections: readonly (JobConnection | null)[],
): AgentFeature[] {
  const ordered = features.filter((feature) => feature !== "boundWorkflows");
  const isBound = connections.some(
    (connection) =>
      connection !== null && sealedWorkflows(connection.usableBy) !== null && asksForCredential(connection),
  );
  return isBound && kind !== "credentialSync" ? [...ordered, "boundWorkflows"] : ordered;
}

/** Whether its jobs could do without its credential: they wait for one only where it was given. */
export function couldDoWithout({ type, needsCredential }: JobConnection): boolean {
  return takesCredential(type) && needsCredential === false;
}

/** What was stored under an older form of its type goes to the agent as it is, which says what is wrong with it. */
function asksForCredential({ type, hasCredential, needsCredential }: JobConnection): boolean {
  return takesCredential(type) && (hasCredential || needsCredential === true);
}
