import type { AgentFeature } from "../../../../schema/contract/agent.ts";
import { takesCredential } from "../../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../../schema/contract/json.ts";
import { targetListOf } from "../../../../schema/contract/target-list.ts";
import { sealedWorkflows } from "../../../../schema/contract/usable-by.ts";
import type { UsableBy } from "../../../../schema/contract/usable-by.ts";
import type { WantedCredential } from "../../../domain/credential/usable.ts";
import type { JobFacts } from "./job.ts";
import type { ServiceEnd } from "./service-end.ts";

/** A connection at the moment of a delivery (docs/design/dispatch.md#deliveries). */
export interface JobConnection {
  readonly id: string;
  readonly type: ConnectionType;
  readonly config: JsonObject;
  readonly enabled: boolean;
  /** See `needsCredential` in schema/contract/connection.ts. */
  readonly needsCredential: boolean | null;
  /** Null: every workflow and person. */
  readonly usableBy: UsableBy | null;
  /** Where its jobs go now; null when it has neither agent nor pool. */
  readonly target: { readonly poolObject: string; readonly pinnedAgentId: string | null } | null;
  /** Whether any of its agents was given a credential. Jobs that could do without one then run only where it is. */
  readonly hasCredential: boolean;
  /** Whether any of its agents has the credential by now. */
  readonly isDelivered: boolean;
  /** True when the agent that it names was deleted. */
  readonly agentDeleted: boolean;
  /** The credential that an agent must have to use the connection; null for a type without credentials. */
  readonly wanted: ((agentId: string) => WantedCredential) | null;
  /** See `Approved.targets`. */
  readonly approvedTarget: () => string;
}

export type ConnectionVerdict =
  | { readonly type: "run"; readonly pinnedAgentId: string | null; readonly needsCredential: boolean }
  | { readonly type: "reroute"; readonly poolObject: string; readonly pinnedAgentId: string | null }
  | { readonly type: "end"; readonly end: ServiceEnd; readonly why?: string };

/**
 * The verdict on a waiting job of the dispatcher `facts.poolObject`, by its connection as just read. Null: the
 * connection was deleted.
 */
export function judgeConnection(facts: JobFacts, connection: JobConnection | null): ConnectionVerdict {
  if (connection === null) return { type: "end", end: "connection_deleted" };
  // A test is how a person finds out whether the connection can be enabled again.
  if (!connection.enabled && facts.kind === "action") return { type: "end", end: "connection_disabled" };
  if (isOutdated(facts, connection)) return outdated(connection);
  if (connection.agentDeleted) return { type: "end", end: "agent_deleted" };
  if (connection.target === null) return { type: "end", end: "connection_unassigned" };
  const { poolObject, pinnedAgentId } = connection.target;
  if (poolObject !== facts.poolObject) {
    // Only an execution can order a job again.
    if (facts.executionId === null) return { type: "end", end: "connection_moved" };
    return { type: "reroute", poolObject, pinnedAgentId };
  }
  // Before any agent has the credential, a test runs anywhere and reports that it is missing. Later, a test without it
  // would say nothing about the connection.
  const isInNeed = facts.kind === "action" || connection.isDelivered;
  return { type: "run", pinnedAgentId, needsCredential: isInNeed && asksForCredential(connection) };
}

export function outdated({ id }: JobConnection): ConnectionVerdict {
  return { type: "end", end: "approval_outdated", why: `The connection is ${id}.` };
}

/** Whether a connection leads to another target now than when the execution was approved. */
export function isOutdated({ approvedTargets }: JobFacts, { id, approvedTarget }: JobConnection): boolean {
  return approvedTargets !== undefined && approvedTargets[id] !== approvedTarget();
}

/**
 * The features that an agent needs for a job: those that the order names, `boundWorkflows` when a credential is only for
 * certain workflows, and `targets` when its connection has several. `connections` are the job's, as just read.
 */
export function featuresFor(
  { kind, target, features = [] }: Pick<JobFacts, "kind" | "target" | "features">,
  connections: readonly (JobConnection | null)[],
): AgentFeature[] {
  const ordered = features.filter((feature) => feature !== "boundWorkflows" && feature !== "targets");
  // A withdrawal is for every agent, and an agent without the feature uses no credential of such a connection.
  if (kind === "credentialSync") return ordered;
  const hasTargets =
    target !== undefined || connections.some((one) => one !== null && targetListOf(one.config) !== null);
  const isBound = connections.some(
    (connection) =>
      connection !== null && sealedWorkflows(connection.usableBy) !== null && asksForCredential(connection),
  );
  return [...ordered, ...(isBound ? (["boundWorkflows"] as const) : []), ...(hasTargets ? (["targets"] as const) : [])];
}

/** Whether its jobs could run without the credential. They wait for it only once it was delivered. */
export function couldDoWithout({ type, needsCredential }: JobConnection): boolean {
  return takesCredential(type) && needsCredential === false;
}

/**
 * A configuration stored under an older form of its type (null) goes to the agent as stored. The agent reports what is
 * wrong with it.
 */
function asksForCredential({ type, hasCredential, needsCredential }: JobConnection): boolean {
  return takesCredential(type) && (hasCredential || needsCredential === true);
}
