import type { Ack, JobResult, LeaseRef } from "../../../schema/contract/agent.ts";
import { logWarning } from "../log.ts";
import type { CallLimit } from "./call-limit.ts";
import type { Pool } from "./pool.ts";

/** Remembered so that libSQL is asked once for each job, not with every call; the oldest are forgotten first. */
const ISSUERS_MAX = 1_000;

/**
 * Leases stay with their issuer (design 3): an agent that was moved to this Pool may hold jobs that another Pool gave it.
 * What that one says of them is told to the agent, and it hears that the agent lives.
 */
export class Strangers {
  /** By job, the Pool that gave it out; null when nobody did. */
  readonly #issuers = new Map<string, string | null>();

  /** Of the leases that an agent says it holds, those of jobs that this Pool knows nothing of. */
  among<T extends LeaseRef>(pool: Pool, held: readonly T[]): T[] {
    return held.filter(({ jobId }) => pool.jobs.get(jobId) === undefined && pool.jobs.finished(jobId).length === 0);
  }

  /** Which of these the agent must stop: those that their issuer wants stopped, and those that nobody gave out. */
  cancelled(pool: Pool, agentId: string, held: readonly LeaseRef[], limit: CallLimit): Promise<LeaseRef[]> {
    return this.#ask(pool, held, limit, {
      nobody: (refs) => [...refs],
      issuer: (poolObject, refs) => pool.world.heldElsewhere(poolObject, agentId, refs),
      // Nobody knows just now: stopping it may lose what goes on rightly.
      silent: () => [],
    });
  }

  /** Brings results to whoever gave the jobs out. */
  acks(
    pool: Pool,
    agentId: string,
    results: readonly JobResult[],
    limit: CallLimit,
  ): Promise<(LeaseRef & { ack: Ack })[]> {
    const as = (ack: Ack) => (some: readonly JobResult[]) =>
      some.map(({ jobId, lease }): LeaseRef & { ack: Ack } => ({ jobId, lease, ack }));
    return this.#ask(pool, results, limit, {
      nobody: as("unknown"),
      issuer: (poolObject, some) => pool.world.resultsElsewhere(poolObject, agentId, some),
      silent: as("retry"),
    });
  }

  async #ask<T extends { jobId: string }, R>(
    pool: Pool,
    items: readonly T[],
    limit: CallLimit,
    answers: {
      nobody: (items: readonly T[]) => R[];
      issuer: (poolObject: string, items: readonly T[]) => Promise<R[]>;
      silent: (items: readonly T[]) => R[];
    },
  ): Promise<R[]> {
    if (items.length === 0) return [];
    try {
      await limit.within("looking up the pools of jobs", () => this.#find(pool, items));
    } catch (error) {
      logWarning("the pools of jobs could not be looked up", { error: String(error) });
      return answers.silent(items);
    }
    const groups = Map.groupBy(items, ({ jobId }) => this.#issuers.get(jobId) ?? null);
    const parts = await Promise.all(
      [...groups].map(async ([poolObject, some]) => {
        if (poolObject === null) return answers.nobody(some);
        try {
          return await limit.within("asking another pool", () => answers.issuer(poolObject, some));
        } catch (error) {
          logWarning("the pool that gave out a moved agent's jobs does not answer", {
            poolObject,
            error: String(error),
          });
          return answers.silent(some);
        }
      }),
    );
    return parts.flat();
  }

  async #find(pool: Pool, items: readonly { jobId: string }[]): Promise<void> {
    const ids = [...new Set(items.map(({ jobId }) => jobId))].filter((jobId) => !this.#issuers.has(jobId));
    if (ids.length === 0) return;
    const found = await pool.world.findIssuers(ids);
    for (const jobId of ids) this.#issuers.set(jobId, found.get(jobId) ?? null);
    for (const jobId of this.#issuers.keys()) {
      if (this.#issuers.size <= ISSUERS_MAX) break;
      this.#issuers.delete(jobId);
    }
  }
}
