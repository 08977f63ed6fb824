import type { JobOrder } from "../../domain/job-order.ts";
import { claimSync, findDueSyncs } from "../../store/credentials.ts";
import type { CredentialRecord, DueSync } from "../../store/credentials.ts";
import { writeBatch } from "../../store/database.ts";
import { insertJob } from "../../store/jobs.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { poolObjectOf } from "../objects.ts";
import { failureMessage } from "../../store/errors.ts";

const SECOND_MS = 1_000;
const SYNC_TIMEOUT_SECONDS = 60;
const ORDERS_A_BATCH = 100;

/**
 * Makes a credentialSync job of everything that these agents must still get or give up, and hands the jobs to their
 * dispatchers. Never throws: the jobs are in libSQL, so the sweeper orders those of a dispatcher that does not answer.
 */
export async function orderSyncs(deps: Deps, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length === 0) return;
  try {
    await handOver(deps, await prepareSyncs(deps, await findDueSyncs(deps.db, { agentIds })));
  } catch (error) {
    // The wanted state has been committed: the caller's request has succeeded, and the sweeper does the rest.
    logWarning("credential syncs could not be ordered; the sweeper orders them", { error: failureMessage(error) });
  }
}

/** The same for credentials that a crash left without a job, and for temporary failures that are due again. */
export async function orderForgottenSyncs(
  deps: Deps,
  since: { before: number; failedBefore: number; limit: number },
): Promise<void> {
  await handOver(deps, await prepareSyncs(deps, await findDueSyncs(deps.db, since)));
}

/**
 * Records the jobs. Two concurrent callers may both make a job for one credential: the job that the record names is
 * delivered, and the other one ends as overtaken. The ciphertext stays in the record until the job is delivered.
 */
export async function prepareSyncs(deps: Deps, due: readonly DueSync[]): Promise<JobOrder[]> {
  const orders: JobOrder[] = [];
  for (let at = 0; at < due.length; at += ORDERS_A_BATCH) {
    const made = due
      .slice(at, at + ORDERS_A_BATCH)
      .map(({ credential, agentPoolId }) => ({ credential, order: orderOf(deps, credential, agentPoolId) }));
    await writeBatch(
      deps.db,
      made.flatMap(({ credential, order }) => [claimSync(deps.db, credential, order.jobId), insertJob(deps.db, order)]),
    );
    orders.push(...made.map(({ order }) => order));
  }
  return orders;
}

async function handOver(deps: Deps, orders: readonly JobOrder[]): Promise<void> {
  for (const [poolObject, ofPool] of Map.groupBy(orders, (order) => order.poolObject)) {
    try {
      await deps.objects.dispatcher(poolObject).enqueue(ofPool);
    } catch (error) {
      logWarning("a pool could not be notified of credential syncs; the sweeper notifies it", {
        poolObject,
        error: failureMessage(error),
      });
    }
  }
}

function orderOf(deps: Deps, credential: CredentialRecord, agentPoolId: string | null): JobOrder {
  const { agentId, connectionId, state, version, jweExpiresAt } = credential;
  const now = deps.now();
  return {
    jobId: deps.newId("job"),
    attempt: 1,
    kind: "credentialSync",
    executionId: null,
    workflowId: null,
    nodeRunId: null,
    action: null,
    effect: "idempotent",
    connectionId,
    poolObject: poolObjectOf({ id: agentId, poolId: agentPoolId }),
    pinnedAgentId: agentId,
    params: { state, version },
    values: {},
    timeoutSeconds: SYNC_TIMEOUT_SECONDS,
    // A job must not outlive its ciphertext.
    queueTimeoutSeconds: jweExpiresAt === null ? null : Math.max(1, Math.ceil((jweExpiresAt - now) / SECOND_MS)),
    onAgentLost: null,
    queuedAt: now,
  };
}
