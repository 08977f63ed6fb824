import { randomBytes } from "node:crypto";
import type { JobResult } from "../../../schema/contract/agent.ts";
import { needsCredential, takesCredential } from "../../../schema/contract/connection.ts";
import type { Role } from "../../../schema/contract/people.ts";
import type { HeldCredentials } from "../../domain/credential/judge-reported.ts";
import { targetFloor } from "../../domain/credential/usable.ts";
import type { ControlState } from "../../domain/control.ts";
import type { JobReport } from "../../domain/job-order.ts";
import { readControl } from "../../services/control/index.ts";
import {
  recordSyncOutcome,
  reconcileReported,
  approvedTarget,
  wantedCredential,
} from "../../services/credentials/index.ts";
import type { Deps } from "../../services/deps.ts";
import { targetOf } from "../../services/objects.ts";
import { readRoles } from "../../services/people/index.ts";
import { flushHeartbeats } from "../../store/agent-registrations.ts";
import { findSyncs, findTargetFloors } from "../../store/credentials.ts";
import { writeBatch } from "../../store/database.ts";
import { findJobConnections } from "../../store/job-connections.ts";
import type { JobConnectionRow } from "../../store/job-connections.ts";
import { endJobWithoutExecution } from "../../store/pool-jobs.ts";
import { recordStaleResult } from "../../store/stale-results.ts";
import { withTimeout } from "../kit/with-timeout.ts";
import type { CredentialDifference, CredentialSync } from "./events.ts";
import type { JobConnection } from "./rules/job-connection.ts";
import type { JobFacts } from "./rules/job.ts";

/** Everything outside a dispatcher that it uses. Calls over the network throw when the other end cannot be reached. */
export interface DispatcherPorts {
  /** Epoch milliseconds. */
  now(): number;
  newLease(): string;
  /** How long an idle agent with a wake socket waits between polls (seconds). */
  readonly idlePollSeconds: number;
  /** The connections in libSQL; missing ones are left out. With `agentId`, for a decision about this agent only. */
  readConnections(ids: readonly string[], agentId: string | null): Promise<Map<string, JobConnection>>;
  /** The present roles of these people. Disabled and deleted people are missing. */
  readRoles(people: readonly string[]): Promise<Map<string, Role>>;
  /** Whether the deployment is paused, read within the last PAUSE_FOLLOWED_WITHIN_MS. Never throws. */
  readControl(): Promise<ControlState>;
  /** By job. A job that a newer state of its credential has superseded is missing. */
  readSyncs(jobIds: readonly string[]): Promise<Map<string, CredentialSync>>;
  /** Records the credentials that an agent reports. Returns how they differ from the wanted ones. */
  recordCredentials(agentId: string, reported: HeldCredentials): Promise<CredentialDifference>;
  /** Reports a job's end to its run. Resolves when the run has committed it. */
  reportEnd(facts: JobFacts, report: JobReport): Promise<void>;
  /** Records a result that is not applied, if the job exists. */
  recordStaleResult(agentId: string, result: JobResult, now: number): Promise<void>;
  recordHeartbeats(heartbeats: readonly { agentId: string; lastHeartbeatAt: number }[]): Promise<void>;
}

const LEASE_BYTES = 16;
/** A half-open network connection must not keep a job waiting for ever. */
const CALL_LIMIT_MS = 20_000;

export function createDispatcherPorts(deps: Deps): DispatcherPorts {
  const limited = <T>(what: string, work: Promise<T>) => withTimeout(CALL_LIMIT_MS, what, work);
  return {
    now: deps.now,
    idlePollSeconds: deps.settings.idlePollSeconds,
    // Hexadecimal, because held leases are separated by `:` and `,`.
    newLease: () => randomBytes(LEASE_BYTES).toString("hex"),
    readConnections: (ids, agentId) => limited("reading connections", readConnections(deps, ids, agentId)),
    readRoles: (people) => limited("reading roles", readRoles(deps, people)),
    readControl: () => readControl(deps),
    readSyncs: (jobIds) => limited("reading credentials", readSyncs(deps, jobIds)),
    recordCredentials: (agentId, reported) =>
      limited("recording credentials", reconcileReported(deps, agentId, reported)),
    reportEnd: (facts, report) => limited("reporting a job's end", reportEnd(deps, facts, report)),
    recordStaleResult: (agentId, result, now) =>
      limited("recording a result", recordStaleResult(deps.db, agentId, result, now)),
    recordHeartbeats: (heartbeats) => limited("recording heartbeats", flushHeartbeats(deps.db, heartbeats)),
  };
}

async function readConnections(deps: Deps, ids: readonly string[], onlyFor: string | null) {
  const rows = await findJobConnections(deps.db, ids);
  // Read after the connections. Floors only rise, and a floor newer than its configuration only withholds the
  // credential.
  const edited = rows.filter(({ targetEdits }) => targetEdits > 0).map(({ id }) => id);
  const floors = edited.length === 0 ? [] : await findTargetFloors(deps.db, edited, onlyFor);
  const byConnection = Map.groupBy(floors, ({ connectionId }) => connectionId);
  return new Map(
    rows.map(({ agentId, poolId, agentPoolId, targetEdits, ...row }): [string, JobConnection] => {
      const target = targetOf({ agentId, poolId, agentPoolId });
      const wanted = wantedOf({ ...row, targetEdits }, byConnection.get(row.id));
      const approved = () => approvedTarget({ ...row, agentId, poolId });
      return [row.id, { ...row, needsCredential: needsCredential(row), target, wanted, approvedTarget: approved }];
    }),
  );
}

function wantedOf(
  connection: Pick<JobConnectionRow, "type" | "config" | "usableBy" | "targetEdits">,
  floors: readonly { agentId: string; targetFloor: number }[] = [],
): JobConnection["wanted"] {
  if (!takesCredential(connection.type)) return null;
  const ofAnyone = wantedCredential(connection, null);
  const byAgent = new Map(floors.map((row) => [row.agentId, targetFloor(connection, row)]));
  return (agentId) => ({ ...ofAnyone, floor: byAgent.get(agentId) ?? ofAnyone.floor });
}

async function readSyncs(deps: Deps, jobIds: readonly string[]): Promise<Map<string, CredentialSync>> {
  const rows = await findSyncs(deps.db, jobIds);
  return new Map(
    rows.flatMap(({ jobId, connectionId, type, config, state, version, jwe }): [string, CredentialSync][] => {
      if (state === "present" && jwe === null) return [];
      // A connection deleted long ago has no type, and the shape needs one. Removing a credential does not use it.
      const connection = { id: connectionId, type: type ?? "custom", config: config ?? {} };
      const params = { state, version, ...(state === "present" && jwe !== null ? { jwe } : {}) };
      return [[jobId, { connection, params }]];
    }),
  );
}

async function reportEnd(deps: Deps, facts: JobFacts, report: JobReport): Promise<void> {
  if (facts.kind === "credentialSync") return recordSyncOutcome(deps, report);
  if (facts.executionId === null || facts.workflowId === null) {
    await writeBatch(deps.db, [endJobWithoutExecution(deps.db, report)]);
    return;
  }
  await deps.objects.workflowRuns({ workflowId: facts.workflowId }).jobFinished(facts.executionId, report);
}
