import { judgeConnection } from "../../domain/job-connection.ts";
import type { ConnectionVerdict } from "../../domain/job-connection.ts";
import { endJob, releaseJob } from "../../domain/job-lifecycle.ts";
import { logWarning } from "../log.ts";
import type { LiveJob } from "./job-book.ts";
import { reviewBy } from "./pool.ts";
import type { Pool } from "./pool.ts";
import { isSync } from "./read-connections.ts";
import type { Readings } from "./read-connections.ts";

/**
 * What its connections, read anew, mean for a job that waits: it may run here (true), it ends, or it goes to the Pool that
 * its connection has now.
 */
export function applyConnection(pool: Pool, live: LiveJob, readings: Readings, now: number): boolean {
  const verdict = verdictOn(pool, live, readings);
  switch (verdict.type) {
    case "end":
      pool.jobs.change(live, endJob(live.job, verdict.end, now));
      return false;
    case "forward":
      pool.background(forward(pool, live, verdict));
      return false;
    case "run": {
      const { pinnedAgentId, needsCredential } = verdict;
      live.needsCredential = needsCredential;
      if (pinnedAgentId !== live.job.facts.pinnedAgentId) {
        const { facts, stage } = releaseJob(live.job);
        pool.jobs.change(live, { facts: { ...facts, pinnedAgentId }, stage });
      }
      return true;
    }
  }
}

/** What libSQL says of a job's connections, or of the credential that it brings. */
export function verdictOn(pool: Pool, live: LiveJob, readings: Readings): ConnectionVerdict {
  const { facts } = live.job;
  if (isSync(live)) {
    if (pool.agents.get(facts.pinnedAgentId ?? "")?.settings.removed === true)
      return { type: "end", end: "agent_moved" };
    if (readings.syncOf(live) === null) return { type: "end", end: "credential_superseded" };
    // Whom it goes to was fixed when the job was made; taking a credential away outlives its connection (design 6).
    return { type: "run", pinnedAgentId: facts.pinnedAgentId, needsCredential: false };
  }
  if (!readings.hasSecrets(live)) return { type: "end", end: "secrets_unavailable" };
  return judgeConnection(facts, readings.connectionOf(live));
}

/** Hands a job to another Pool. Until that one has it, it waits here, and nobody else moves it. */
function forward(
  pool: Pool,
  live: LiveJob,
  to: { poolObject: string; pinnedAgentId: string | null },
): Promise<boolean> {
  pool.jobs.reserve(live, releaseJob(live.job));
  const busy = handOver(pool, live, to).finally(() => {
    live.busy = null;
  });
  live.busy = busy;
  return busy;
}

async function handOver(
  pool: Pool,
  live: LiveJob,
  { poolObject, pinnedAgentId }: { poolObject: string; pinnedAgentId: string | null },
): Promise<boolean> {
  const stored = pool.jobs.orderOf(live);
  if (stored === null) return true;
  const { jobId, attempt } = stored.order;
  try {
    await pool.world.forward({ ...stored.order, poolObject, pinnedAgentId });
  } catch (error) {
    logWarning("a job could not be handed to its connection's new pool; it is tried again", {
      jobId,
      poolObject,
      error: String(error),
    });
    reviewBy(pool);
    return false;
  }
  pool.jobs.finish(live, {
    jobId,
    attempt,
    lease: null,
    agentId: null,
    by: "forwarded",
    forwardedTo: poolObject,
    succeeded: null,
    finishedAt: pool.world.now(),
  });
  return true;
}
