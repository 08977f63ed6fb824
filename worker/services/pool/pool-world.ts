import { randomBytes } from "node:crypto";
import type { JobResult } from "../../../schema/contract/agent.ts";
import type { JobConnection } from "../../domain/job-connection.ts";
import type { JobFacts } from "../../domain/job-lifecycle.ts";
import type { JobOrder, JobReport } from "../../domain/run-types.ts";
import { flushHeartbeats } from "../../store/agent-registrations.ts";
import { findJobConnections } from "../../store/job-connections.ts";
import { endJobWithoutExecution, moveJob } from "../../store/pool-jobs.ts";
import { recordStaleResult } from "../../store/stale-results.ts";
import type { Deps } from "../deps.ts";
import { poolObjectOf } from "../objects.ts";
import { within } from "./within.ts";

/** All that a Pool needs of what is around it. What goes over the network throws when it cannot be reached. */
export interface PoolWorld {
  /** Epoch milliseconds. */
  now(): number;
  newLease(): string;
  /** The connections as they stand; those that are not there are missing. */
  readConnections(ids: readonly string[]): Promise<Map<string, JobConnection>>;
  /** Tells whoever ordered the job how it ended; resolves when that is committed. */
  tellEnd(facts: JobFacts, report: JobReport): Promise<void>;
  /** Hands a job to the Pool that its order names, and has libSQL know it. */
  forward(order: JobOrder): Promise<void>;
  cancelElsewhere(poolObject: string, jobIds: string[]): Promise<void>;
  recordStaleResult(agentId: string, result: JobResult, now: number): Promise<void>;
  flushHeartbeats(heartbeats: readonly { agentId: string; lastHeartbeatAt: number }[]): Promise<void>;
}

const LEASE_BYTES = 16;
/**
 * A connection that hangs half-open must not keep a job, or an agent's poll, for ever: shorter than the 30 s after which
 * the agent itself gives up.
 */
const CALL_LIMIT_MS = 20_000;

export function createPoolWorld(deps: Deps): PoolWorld {
  const limited = <T>(what: string, work: Promise<T>) => within(CALL_LIMIT_MS, what, work);
  return {
    now: deps.now,
    newLease,
    readConnections: (ids) => limited("reading connections", readConnections(deps, ids)),
    tellEnd: (facts, report) => limited("telling a job's end", tellEnd(deps, facts, report)),
    forward: (order) => limited("handing a job over", forward(deps, order)),
    cancelElsewhere: (poolObject, jobIds) =>
      limited("cancelling elsewhere", deps.objects.pool(poolObject).cancel(poolObject, jobIds)),
    recordStaleResult: (agentId, result, now) =>
      limited("recording a result", recordStaleResult(deps.db, agentId, result, now)),
    flushHeartbeats: (heartbeats) => limited("writing heartbeats", flushHeartbeats(deps.db, heartbeats)),
  };
}

/** Hexadecimal: free of the `:` and `,` that separate held leases (design 4). */
function newLease(): string {
  return randomBytes(LEASE_BYTES).toString("hex");
}

async function readConnections(deps: Deps, ids: readonly string[]): Promise<Map<string, JobConnection>> {
  const rows = await findJobConnections(deps.db, ids);
  return new Map(
    rows.map(({ agentId, poolId, agentPoolId, ...row }) => {
      const byAgent = agentId === null ? null : poolObjectOf({ id: agentId, poolId: agentPoolId });
      const poolObject = byAgent ?? (poolId === null ? null : `pool:${poolId}`);
      return [row.id, { ...row, target: poolObject === null ? null : { poolObject, pinnedAgentId: agentId } }];
    }),
  );
}

async function tellEnd(deps: Deps, facts: JobFacts, report: JobReport): Promise<void> {
  if (facts.executionId === null || facts.workflowId === null) {
    await endJobWithoutExecution(deps.db, report);
    return;
  }
  await deps.objects.run({ workflowId: facts.workflowId }).jobFinished(facts.executionId, report);
}

/** The other Pool first: until libSQL names it, whoever looks for the job is sent on from here. */
async function forward(deps: Deps, order: JobOrder): Promise<void> {
  await deps.objects.pool(order.poolObject).enqueue(order.poolObject, [order]);
  await moveJob(deps.db, order);
}
