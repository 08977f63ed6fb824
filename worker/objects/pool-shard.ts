import { DurableObject } from "cloudflare:workers";
import type { HeartbeatRequest, JobsResponse } from "../../schema/contract/agent.ts";
import type { Env } from "../env.ts";
import { wakeCaller } from "../services/agent-calls/open-wake.ts";
import { createDeps } from "../services/deps.ts";
import { PoolShardAtWork } from "../services/pool-shard/pool-shard.ts";
import type { AgentCaller, HeartbeatAnswer, PollRequest, PoolRefusal, PoolShardRpc } from "../services/ports.ts";
import { WakeSockets } from "./wake-sockets.ts";

/** Answers the idle calls of some thousand agents of a large Pool, and holds their wake sockets. */
export class PoolShard extends DurableObject<Env> implements PoolShardRpc {
  readonly #shard: PoolShardAtWork;
  readonly #sockets: WakeSockets;
  readonly #objects: ReturnType<typeof createDeps>["objects"];

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const { now, objects } = createDeps(env);
    this.#objects = objects;
    this.#sockets = new WakeSockets(state);
    this.#shard = new PoolShardAtWork(
      {
        now,
        pool: objects.pool,
        background: (work) => state.waitUntil(work),
      },
      this.#sockets,
    );
  }

  async poll(poolObject: string, caller: AgentCaller, request: PollRequest): Promise<JobsResponse | PoolRefusal> {
    return this.#shard.poll(poolObject, caller, request);
  }

  async heartbeat(
    poolObject: string,
    caller: AgentCaller,
    request: HeartbeatRequest,
  ): Promise<HeartbeatAnswer | PoolRefusal> {
    return this.#shard.heartbeat(poolObject, caller, request);
  }

  async wake(agentIds: string[]): Promise<string[]> {
    return this.#shard.wake(agentIds);
  }

  async drop(agentId: string): Promise<void> {
    this.#shard.drop(agentId);
  }

  /** An agent's wake socket (design 4). */
  override async fetch(request: Request): Promise<Response> {
    const { poolObject, caller } = wakeCaller(request);
    const refusal = await this.#objects.pool(poolObject).admits(caller);
    return refusal === null ? this.#sockets.accept(caller.agentId) : Response.json(refusal, { status: 409 });
  }

  override async webSocketMessage(socket: WebSocket): Promise<void> {
    this.#sockets.said(socket);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    this.#sockets.closed(socket);
  }
}
