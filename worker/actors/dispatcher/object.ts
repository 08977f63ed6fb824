import { DurableObject } from "cloudflare:workers";
import type { HeartbeatRequest, JobResult } from "../../../schema/contract/agent.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import type { Env } from "../../env.ts";
import { createDeps } from "../../services/deps.ts";
import { keyFingerprint } from "../../services/key-fingerprint.ts";
import { logError } from "../../services/log.ts";
import { DispatcherRuntime } from "./runtime.ts";
import { createDispatcherPorts } from "./ports.ts";
import type { AgentCaller, AgentSettings, PollRequest, RegisterOrder } from "./rpc.ts";
import type { DispatcherRpc } from "../../services/ports.ts";
import { jobStatesOf, presenceOf, viewPool } from "./views.ts";
import { wakeCaller } from "./wake-request.ts";
import { WakeSockets } from "./wake-sockets.ts";

/** The dispatcher of one pool, or of one agent without a pool. */
export class Dispatcher extends DurableObject<Env> implements DispatcherRpc {
  readonly #sockets: WakeSockets;
  #dispatcher!: DispatcherRuntime;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#sockets = new WakeSockets(state);
    void state.blockConcurrencyWhile(async () => {
      this.#dispatcher = new DispatcherRuntime({
        storage: state.storage,
        ports: createDispatcherPorts(createDeps(env)),
        sockets: this.#sockets,
        armedAt: await state.storage.getAlarm(),
        background: (work) => state.waitUntil(work),
        abort: (reason) => {
          logError("a dispatcher is restarted from its storage", { reason });
          state.abort(reason);
        },
      });
    });
  }

  async enqueue(orders: JobOrder[]) {
    this.#dispatcher.apply({ type: "enqueued", orders });
  }

  async cancel(jobIds: string[], only?: "waiting") {
    this.#dispatcher.apply({ type: "cancelRequested", jobIds, only });
  }

  async configureAgent(settings: AgentSettings, onlyIdle = false) {
    return this.#dispatcher.apply({ type: "agentConfigured", settings, onlyIdle });
  }

  async register(caller: AgentCaller, order: RegisterOrder) {
    const fingerprint = keyFingerprint(order.request.publicKey);
    return this.#dispatcher.apply({ type: "registered", caller, order, fingerprint });
  }

  async poll(caller: AgentCaller, request: PollRequest) {
    return this.#dispatcher.poll(caller, request);
  }

  async results(caller: AgentCaller, results: JobResult[]) {
    return this.#dispatcher.results(caller, results);
  }

  async heartbeat(caller: AgentCaller, request: HeartbeatRequest) {
    return this.#dispatcher.apply({ type: "heartbeatReceived", caller, request });
  }

  async offline(caller: AgentCaller) {
    return this.#dispatcher.apply({ type: "wentOffline", caller });
  }

  /** Opens an agent's wake socket. */
  override async fetch(request: Request): Promise<Response> {
    const caller = wakeCaller(request);
    const admitted = this.#dispatcher.apply({ type: "socketOpened", caller });
    if ("refused" in admitted) return Response.json(admitted, { status: 409 });
    return this.#sockets.accept(caller.agentId, Date.now());
  }

  override async webSocketMessage(socket: WebSocket): Promise<void> {
    this.#sockets.said(socket);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    const closed = this.#sockets.closed(socket);
    if (closed !== null) this.#dispatcher.apply({ type: "socketClosed", ...closed });
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.webSocketClose(socket);
  }

  async review(connectionId: string) {
    this.#dispatcher.apply({ type: "connectionEdited", connectionId });
  }

  async waitForEnd(jobId: string, ms: number) {
    await this.#dispatcher.waitForEnd(jobId, ms);
  }

  async presence(agentIds: string[], withJobs = false) {
    return presenceOf(this.#dispatcher.state, agentIds, Date.now(), withJobs);
  }

  async view(poolId: string) {
    return viewPool(await this.#dispatcher.whileJobsWait(), poolId, Date.now());
  }

  async jobStates(jobIds: string[]) {
    return jobStatesOf(await this.#dispatcher.whileJobsWait(), jobIds, Date.now());
  }

  override async alarm(): Promise<void> {
    await this.#dispatcher.alarm();
  }
}
