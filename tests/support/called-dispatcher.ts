import type { HeartbeatRequest } from "../../schema/contract/agent.ts";
import type { AgentCaller, AgentSettings, RegisterOrder } from "../../worker/actors/dispatcher/index.ts";
import { DispatcherRuntime } from "../../worker/actors/dispatcher/runtime.ts";
import type { JobOrder } from "../../worker/domain/job-order.ts";
import { keyFingerprint } from "../../worker/services/key-fingerprint.ts";

/** A dispatcher with one method per event, as its object has them in workerd. */
export class CalledDispatcher extends DispatcherRuntime {
  register(caller: AgentCaller, order: RegisterOrder) {
    return this.apply({ type: "registered", caller, order, fingerprint: keyFingerprint(order.request.publicKey) });
  }
  heartbeat(caller: AgentCaller, request: HeartbeatRequest) {
    return this.apply({ type: "heartbeatReceived", caller, request });
  }
  offline(caller: AgentCaller) {
    return this.apply({ type: "wentOffline", caller });
  }
  admitSocket(caller: AgentCaller) {
    return this.apply({ type: "socketOpened", caller });
  }
  socketClosed(agentId: string, heardAt: number) {
    this.apply({ type: "socketClosed", agentId, heardAt });
  }
  configureAgent(settings: AgentSettings, onlyIdle = false) {
    return this.apply({ type: "agentConfigured", settings, onlyIdle });
  }
  enqueue(orders: readonly JobOrder[]) {
    this.apply({ type: "enqueued", orders });
  }
  cancel(jobIds: readonly string[], only?: "waiting") {
    this.apply({ type: "cancelRequested", jobIds, only });
  }
  review(connectionId: string) {
    this.apply({ type: "connectionEdited", connectionId });
  }
}
