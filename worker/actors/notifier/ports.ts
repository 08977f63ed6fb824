import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { ControlState } from "../../domain/control.ts";
import type { JobOrder, JobReport } from "../../domain/job-order.ts";
import { readControl } from "../../services/control/index.ts";
import type { Deps } from "../../services/deps.ts";
import { prepareDelivery } from "../../services/notifications/index.ts";
import type { Delivery, Prepared } from "../../services/notifications/index.ts";
import { endJobWithoutExecution } from "../../store/pool-jobs.ts";
import { waitAtMost, withTimeout } from "../kit/with-timeout.ts";
import type { NotificationFacts } from "./notification.ts";

/** Everything outside a Notifier that it uses. */
export interface NotifierPorts {
  /** Epoch milliseconds. */
  now(): number;
  /** In [0, 1). */
  random(): number;
  /** Whether the deployment is paused, read within the last PAUSE_FOLLOWED_WITHIN_MS. Never throws. */
  readControl(): Promise<ControlState>;
  prepare(order: JobOrder): Prepared;
  /** One attempt. Never throws. */
  send(delivery: Delivery, finished: ReadonlySet<string>, attempt: AttemptLimits): Promise<ChannelAnswer>;
  /**
   * Reports a job's end to the execution that ordered it. Resolves when the execution has committed it, and rejects
   * when that fails.
   */
  notifyCompletion(facts: NotificationFacts, report: JobReport): Promise<void>;
  /** Resolves when `work` does, or after `limitMs`. */
  atMost(work: Promise<unknown>, limitMs: number): Promise<void>;
}

export interface AttemptLimits {
  readonly limitMs: number;
  /** Stores the handover. Resolves with the remaining time of the attempt (ms). */
  noteHandover(): Promise<number>;
}

const NOTIFY_LIMIT_MS = 20_000;
/** How long a channel may take to react to its aborted signal. */
const GIVING_UP_MS = 2_000;

export function createNotifierPorts(deps: Deps): NotifierPorts {
  return {
    now: deps.now,
    random: Math.random,
    readControl: () => readControl(deps),
    prepare: (order) => prepareDelivery(deps.settings.notifications, order),
    send: sendOnce,
    notifyCompletion: (facts, report) =>
      withTimeout(NOTIFY_LIMIT_MS, "reporting a notification's end", notifyCompletion(deps, facts, report)),
    atMost: (work, limitMs) => waitAtMost(limitMs, work),
  };
}

/** One attempt with its limits. Never throws. */
export async function sendOnce(
  delivery: Delivery<ReceiverType>,
  finished: ReadonlySet<string>,
  { limitMs, noteHandover }: AttemptLimits,
): Promise<ChannelAnswer> {
  const limit = new AttemptLimit(limitMs);
  const { signal } = limit;
  const attempt = {
    signal,
    noteHandover: async () => {
      signal.throwIfAborted();
      const moreMs = await noteHandover();
      signal.throwIfAborted();
      limit.set(moreMs);
    },
  };
  try {
    return await Promise.race([delivery.send(finished, attempt), limit.overdue]);
  } catch {
    return { type: "unknown", detail: "The attempt ended without an answer." };
  } finally {
    limit.clear();
  }
}

/** Aborts an attempt at its limit, and stops waiting for it a little later. */
class AttemptLimit {
  readonly overdue: Promise<never>;
  readonly #controller = new AbortController();
  readonly #reject: (error: Error) => void;
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(limitMs: number) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.overdue = promise;
    this.#reject = reject;
    this.set(limitMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the limit again from now. */
  set(limitMs: number): void {
    this.clear();
    const late = new DOMException("It took too long.", "TimeoutError");
    this.#timers = [
      setTimeout(() => this.#controller.abort(late), limitMs),
      setTimeout(() => this.#reject(late), limitMs + GIVING_UP_MS),
    ];
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

async function notifyCompletion(
  deps: Deps,
  { executionId, workflowId }: NotificationFacts,
  report: JobReport,
): Promise<void> {
  if (executionId === null || workflowId === null) await endJobWithoutExecution(deps.db, report);
  else await deps.objects.workflowRuns({ workflowId }).jobFinished(executionId, report);
}
