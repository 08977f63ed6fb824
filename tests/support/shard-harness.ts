import { PoolShardAtWork } from "../../worker/services/pool-shard/pool-shard.ts";
import { heardByShard, heartbeatByShard, pollByShard } from "../../worker/services/pool/by-shard.ts";
import type { PoolHarness } from "./pool-harness.ts";

/** What calls fail with while it is cut off. */
export const CUT_OFF = "the pool does not answer";

/** A shard of a `PoolHarness`'s Pool, on the same clock. */
export class ShardHarness {
  /** The calls that reached the Pool, by kind. */
  readonly asked = { poll: 0, heartbeat: 0, heard: 0 };
  /** When true, the Pool's answers to it are lost. */
  cutOff = false;
  /** When set, the answers of the Pool wait for it. */
  gate: Promise<void> | null = null;
  readonly sockets = new Set<string>();
  pool: PoolShardAtWork;
  readonly #harness: PoolHarness;
  #work: Promise<unknown> = Promise.resolve();

  constructor(harness: PoolHarness) {
    this.#harness = harness;
    this.pool = this.#open();
  }

  /** The object ends without a word; sockets that hibernate stay. */
  restart(): void {
    this.#work = Promise.resolve();
    this.pool = this.#open();
  }

  /** What it tells the Pool has arrived. */
  async settled(): Promise<void> {
    await this.#work;
  }

  #open(): PoolShardAtWork {
    const harness = this.#harness;
    const reach = async <T>(answer: T | Promise<T>): Promise<T> => {
      const arrived = await answer;
      await this.gate;
      if (this.cutOff) throw new Error(CUT_OFF);
      return arrived;
    };
    const world = {
      now: () => harness.now,
      pool: () => ({
        pollByShard: (caller, request) => {
          this.asked.poll++;
          return reach(pollByShard(harness.pool, caller, request));
        },
        heartbeatByShard: (caller, request) => {
          this.asked.heartbeat++;
          return reach(heartbeatByShard(harness.pool, caller, request));
        },
        heardByShard: (heard) => {
          this.asked.heard++;
          return reach(heardByShard(harness.pool, heard));
        },
      }),
      background: (work) => {
        this.#work = work;
      },
    } satisfies ConstructorParameters<typeof PoolShardAtWork>[0];
    return new PoolShardAtWork(world, {
      wake: (agentIds) => agentIds.filter((agentId) => this.sockets.has(agentId)),
      drop: (agentId) => {
        this.sockets.delete(agentId);
      },
    });
  }
}
