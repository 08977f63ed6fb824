import { DurableObject } from "cloudflare:workers";
import type { JobOrder } from "../../domain/job-order.ts";
import type { Env } from "../../env.ts";
import { createDeps } from "../../services/deps.ts";
import type { JobState } from "../dispatcher/index.ts";
import type { NotifierRpc } from "../../services/ports.ts";
import { Notifier as NotifierAtWork } from "./notifier.ts";
import { createNotifierPorts } from "./ports.ts";

/** Sends the notifications of one workflow (`notifier:<workflowId>`). The jobs run in the service, not on an agent. */
export class Notifier extends DurableObject<Env> implements NotifierRpc {
  #notifier!: NotifierAtWork;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const { storage } = state;
    const ports = createNotifierPorts(createDeps(env));
    const background = (work: Promise<unknown>) => state.waitUntil(work);
    void state.blockConcurrencyWhile(async () => {
      this.#notifier = new NotifierAtWork({ storage, armedAt: await storage.getAlarm(), ports, background });
    });
  }

  async enqueue(orders: JobOrder[]): Promise<void> {
    this.#notifier.enqueue(orders);
  }

  async cancel(jobIds: string[]): Promise<void> {
    this.#notifier.cancel(jobIds);
  }

  async jobStates(jobIds: string[]): Promise<JobState[]> {
    return this.#notifier.jobStates(jobIds);
  }

  override alarm(): Promise<void> {
    return this.#notifier.onAlarm();
  }
}
