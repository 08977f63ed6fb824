import type { HeartbeatRequest, JobsResponse } from "../../../schema/contract/agent.ts";
import { SHARD_TELLS_AFTER_MS } from "../../../schema/limits.ts";
import { logWarning } from "../log.ts";
import type { AgentCaller, HeartbeatAnswer, PollRequest, PoolRefusal, PoolRpc, ShardAnswer } from "../ports.ts";
import type { Wakers } from "../pool/pool.ts";
import { HeardAgents } from "./heard-agents.ts";
import { QuietAnswers, questionOf } from "./quiet-answers.ts";

/** What lies around a shard. */
export interface ShardWorld {
  now(): number;
  pool(poolObject: string): Pick<PoolRpc, "pollByShard" | "heartbeatByShard" | "heardByShard">;
  background(work: Promise<unknown>): void;
}

/**
 * Some thousand agents of one large Pool (docs/decisions/0010-dispatch.md). Whoever asks what it asked before, and for
 * whom nothing has changed, is answered here; the Pool hears every few seconds who has called. All else goes to the Pool,
 * which alone decides. It keeps nothing on disk: a shard that starts anew knows nothing and asks.
 */
export class PoolShardAtWork {
  readonly #world: ShardWorld;
  readonly #sockets: Wakers;
  readonly #polls = new QuietAnswers<JobsResponse>();
  readonly #heartbeats = new QuietAnswers<HeartbeatAnswer>();
  readonly #heard = new HeardAgents();
  #toldAt = 0;

  constructor(world: ShardWorld, sockets: Wakers) {
    this.#world = world;
    this.#sockets = sockets;
  }

  poll(poolObject: string, caller: AgentCaller, request: PollRequest): Promise<JobsResponse | PoolRefusal> {
    return this.#answer(this.#polls, {
      caller,
      question: questionOf(caller, request),
      hear: () => this.#hear(poolObject, caller, "poll"),
      ask: () => this.#world.pool(poolObject).pollByShard(caller, request),
    });
  }

  heartbeat(
    poolObject: string,
    caller: AgentCaller,
    request: HeartbeatRequest,
  ): Promise<HeartbeatAnswer | PoolRefusal> {
    return this.#answer(this.#heartbeats, {
      caller,
      question: questionOf(caller, request),
      hear: () => this.#hear(poolObject, caller, "heartbeat"),
      ask: () => this.#world.pool(poolObject).heartbeatByShard(caller, request),
    });
  }

  /** The next calls of these agents go to the Pool, and who has a socket is told to poll. Gives those that could be told. */
  wake(agentIds: readonly string[]): string[] {
    for (const agentId of agentIds) this.#forget(agentId);
    return this.#sockets.wake(agentIds);
  }

  drop(agentId: string): void {
    this.#forget(agentId);
    this.#sockets.drop(agentId);
  }

  async #answer<T extends object>(
    quiet: QuietAnswers<T>,
    {
      caller,
      question,
      hear,
      ask,
    }: { caller: AgentCaller; question: string; hear(): void; ask(): Promise<ShardAnswer<T>> },
  ): Promise<T | PoolRefusal> {
    const known = quiet.find(caller.agentId, question, this.#world.now());
    if (known !== null) {
      hear();
      return known;
    }
    const asking = quiet.asking(caller.agentId);
    const { answer, settled } = await ask();
    if (settled && !("refused" in answer)) asking.keep(question, answer, this.#world.now());
    return answer;
  }

  #forget(agentId: string): void {
    this.#polls.forget(agentId);
    this.#heartbeats.forget(agentId);
  }

  #hear(poolObject: string, caller: AgentCaller, call: "poll" | "heartbeat"): void {
    const now = this.#world.now();
    this.#heard.hear(caller, call, now);
    // With the next call, not by a timer: an object that waits for one cannot sleep.
    if (now - this.#toldAt < SHARD_TELLS_AFTER_MS) return;
    this.#toldAt = now;
    this.#world.background(this.#tell(poolObject));
  }

  async #tell(poolObject: string): Promise<void> {
    const { pool } = this.#world;
    const heard = this.#heard.take();
    try {
      // Should a word of the Pool have been lost, this answer repeats it.
      this.wake(await pool(poolObject).heardByShard(heard));
    } catch (error) {
      this.#heard.giveBack(heard);
      logWarning("a pool could not be told of its agents; it is tried again with their next calls", {
        poolObject,
        error: String(error),
      });
    }
  }
}
