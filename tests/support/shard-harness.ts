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
  #timers: { at: number; ring: () => void }[] = [];

  constructor(harness: PoolHarness) {
    this.#harness = harness;
    this.pool = this.#open();
  }

  /** The object ends without a word; sockets that hibernate stay. */
  restart(): void {
    this.#timers = [];
    this.#work = Promise.resolve();
    this.pool = this.#open();
  }

  /** What it tells the Pool has arrived, unless it is to be told later. */
  async settled(): Promise<void> {
    if (this.#timers.length === 0) await this.#work;
  }

  get dueAt(): number {
    return Math.min(Infinity, ...this.#timers.map(({ at }) => at));
  }

  async reached(now: number): Promise<void> {
    const due = this.#timers.filter(({ at }) => at <= now);
    this.#timers = this.#timers.filter(({ at }) => at > now);
    for (const { ring } of due) ring();
    if (due.length > 0) await this.#work;
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
      later: (ms) =>
        new Promise((resolve) => {
          this.#timers.push({ at: harness.now + ms, ring: resolve });
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
