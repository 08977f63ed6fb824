import { DurableObject } from "cloudflare:workers";
import type { JobOrder } from "../domain/run-types.ts";
import type { Env } from "../env.ts";
import { createDeps } from "../services/deps.ts";
import { cancelNotifications } from "../services/notifications/cancel.ts";
import { enqueueNotifications } from "../services/notifications/enqueue.ts";
import { keepTime } from "../services/notifications/keep-time.ts";
import { createNotifierWorld } from "../services/notifications/notifier-world.ts";
import { armNotifier, openNotifier } from "../services/notifications/notifier.ts";
import type { Notifier as NotifierAtWork } from "../services/notifications/notifier.ts";
import { notificationStatesOf } from "../services/notifications/views.ts";
import type { JobState, NotifierRpc } from "../services/ports.ts";

/** Sends the notifications of one workflow (`notifier:<workflowId>`): its jobs run in the service, not on an agent. */
export class Notifier extends DurableObject<Env> implements NotifierRpc {
  readonly #notifier: NotifierAtWork;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const world = createNotifierWorld(createDeps(env));
    this.#notifier = openNotifier(state.storage, world, (work) => state.waitUntil(work));
    void state.blockConcurrencyWhile(async () => armNotifier(this.#notifier, await state.storage.getAlarm()));
  }

  async enqueue(_poolObject: string, orders: JobOrder[]): Promise<void> {
    enqueueNotifications(this.#notifier, orders);
  }

  async cancel(_poolObject: string, jobIds: string[]): Promise<void> {
    cancelNotifications(this.#notifier, jobIds);
  }

  async jobStates(jobIds: string[]): Promise<JobState[]> {
    return notificationStatesOf(this.#notifier, jobIds);
  }

  override async alarm(): Promise<void> {
    await keepTime(this.#notifier);
  }
}
