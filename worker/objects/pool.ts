import { DurableObject } from "cloudflare:workers";
import type { Ack, HeartbeatRequest, JobResult, JobsResponse, LeaseRef } from "../../schema/contract/agent.ts";
import type { PoolView } from "../../schema/contract/management.ts";
import type { JobOrder } from "../domain/run-types.ts";
import type { Env } from "../env.ts";
import { createDeps } from "../services/deps.ts";
import { wakeCaller } from "../services/agent-calls/open-wake.ts";
import { admit } from "../services/pool/admit.ts";
import { cancelJobs } from "../services/pool/cancel.ts";
import { configureAgent } from "../services/pool/configure-agent.ts";
import { enqueueJobs } from "../services/pool/enqueue.ts";
import { heartbeat } from "../services/pool/heartbeat.ts";
import { keepTime } from "../services/pool/keep-time.ts";
import { goOffline } from "../services/pool/offline.ts";
import { poll } from "../services/pool/poll.ts";
import { createPoolWorld } from "../services/pool/pool-world.ts";
import { armPool, openPool } from "../services/pool/pool.ts";
import type { Pool as PoolAtWork } from "../services/pool/pool.ts";
import { register } from "../services/pool/register.ts";
import { reviewSoon } from "../services/pool/review.ts";
import { takeResults } from "../services/pool/take-results.ts";
import { jobStatesOf, presenceOf, viewPool } from "../services/pool/views.ts";
import { waitForEnd } from "../services/pool/wait-for-end.ts";
import { WakeSockets } from "./wake-sockets.ts";
import type {
  AgentCaller,
  AgentPresence,
  AgentSettings,
  HeartbeatAnswer,
  JobState,
  PollRequest,
  PoolRefusal,
  PoolRpc,
  RegisterOrder,
  Registered,
} from "../services/ports.ts";

/**
 * The agents that share a pool, or one agent by itself: presence, health, the queue and its leases (design 3). What must
 * be atomic happens between two awaits; nothing is held across a call to another object.
 */
export class Pool extends DurableObject<Env> implements PoolRpc {
  readonly #pool: PoolAtWork;
  readonly #sockets: WakeSockets;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#sockets = new WakeSockets(state);
    this.#pool = openPool(state.storage, createPoolWorld(createDeps(env)), {
      background: (work) => state.waitUntil(work),
      wakers: this.#sockets,
    });
    void state.blockConcurrencyWhile(async () => armPool(this.#pool, await state.storage.getAlarm()));
  }

  async enqueue(_poolObject: string, orders: JobOrder[]): Promise<void> {
    enqueueJobs(this.#pool, orders);
  }

  async cancel(_poolObject: string, jobIds: string[]): Promise<void> {
    cancelJobs(this.#pool, jobIds);
  }

  async configureAgent(_poolObject: string, settings: AgentSettings, onlyIdle = false): Promise<number> {
    return configureAgent(this.#pool, settings, onlyIdle);
  }

  async register(caller: AgentCaller, order: RegisterOrder): Promise<Registered | PoolRefusal> {
    return register(this.#pool, caller, order);
  }

  async poll(caller: AgentCaller, request: PollRequest): Promise<JobsResponse | PoolRefusal> {
    return poll(this.#pool, caller, request);
  }

  async results(
    caller: AgentCaller,
    results: JobResult[],
  ): Promise<{ acks: (LeaseRef & { ack: Ack })[] } | PoolRefusal> {
    return takeResults(this.#pool, caller, results);
  }

  async heartbeat(caller: AgentCaller, request: HeartbeatRequest): Promise<HeartbeatAnswer | PoolRefusal> {
    return heartbeat(this.#pool, caller, request);
  }

  async offline(caller: AgentCaller, _held: LeaseRef[]): Promise<Record<string, never> | PoolRefusal> {
    return goOffline(this.#pool, caller);
  }

  /** An agent's wake socket (design 4). */
  override async fetch(request: Request): Promise<Response> {
    const caller = wakeCaller(request);
    const admitted = admit(this.#pool, caller);
    return "refused" in admitted ? Response.json(admitted, { status: 409 }) : this.#sockets.accept(caller.agentId);
  }

  override async webSocketMessage(socket: WebSocket): Promise<void> {
    this.#sockets.said(socket);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    this.#sockets.closed(socket);
  }

  async review(connectionId: string): Promise<void> {
    reviewSoon(this.#pool, connectionId);
  }

  async waitForEnd(jobId: string, ms: number): Promise<void> {
    await waitForEnd(this.#pool, jobId, ms);
  }

  async presence(agentIds: string[], withJobs = false): Promise<AgentPresence[]> {
    return presenceOf(this.#pool, agentIds, withJobs);
  }

  async view(poolId: string): Promise<PoolView> {
    return viewPool(this.#pool, poolId);
  }

  async jobStates(jobIds: string[]): Promise<JobState[]> {
    return jobStatesOf(this.#pool, jobIds);
  }

  override async alarm(): Promise<void> {
    await keepTime(this.#pool);
  }
}
