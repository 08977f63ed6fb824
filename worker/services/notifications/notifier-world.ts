import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { NotificationFacts } from "../../domain/notification.ts";
import type { JobOrder, JobReport } from "../../domain/run-types.ts";
import { endJobWithoutExecution } from "../../store/pool-jobs.ts";
import type { Deps } from "../deps.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";
import { prepareDelivery } from "./delivery.ts";
import type { Delivery, Prepared } from "./prepared.ts";

/** All that a Notifier needs of what is around it. */
export interface NotifierWorld {
  /** Epoch milliseconds. */
  now(): number;
  /** In [0, 1). */
  random(): number;
  prepare(order: JobOrder): Prepared;
  /** One try; never throws. */
  send(delivery: Delivery, settled: ReadonlySet<string>, attempt: AttemptLimits): Promise<ChannelAnswer>;
  /** Tells whoever ordered it how it ended; resolves when that is committed, throws when it cannot be. */
  tellEnd(facts: NotificationFacts, report: JobReport): Promise<void>;
  /** Resolves when `work` does, and at the latest after `limitMs`. */
  atMost(work: Promise<unknown>, limitMs: number): Promise<void>;
}

export interface AttemptLimits {
  readonly limitMs: number;
  /** Resolves when the handover is on disk, with how long the try may still take (ms). */
  noteHandover(): Promise<number>;
}

const TELL_LIMIT_MS = 20_000;
/** What a channel gets to notice that it was told to give up. */
const GIVING_UP_MS = 2_000;

export function createNotifierWorld(deps: Deps): NotifierWorld {
  return {
    now: deps.now,
    random: Math.random,
    prepare: (order) => prepareDelivery(deps.env, order),
    send: sendOnce,
    tellEnd: (facts, report) =>
      withTimeout(TELL_LIMIT_MS, "telling a notification's end", tellEnd(deps, facts, report)),
    atMost: async (work, limitMs) => {
      // Running late is no failure here.
      await withTimeout(limitMs, "waiting", work).catch(() => undefined);
    },
  };
}

/** One try with its limits; never throws. */
export async function sendOnce(
  delivery: Delivery,
  settled: ReadonlySet<string>,
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
    return await Promise.race([delivery.send(settled, attempt), limit.overdue]);
  } catch {
    return { type: "unknown", detail: "The try ended without an answer." };
  } finally {
    limit.clear();
  }
}

/** When a try is told to give up, and when nobody waits for it any more. */
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

  /** Anew from now. */
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

async function tellEnd(deps: Deps, { executionId, workflowId }: NotificationFacts, report: JobReport): Promise<void> {
  if (executionId === null || workflowId === null) await endJobWithoutExecution(deps.db, report);
  else await deps.objects.run({ workflowId }).jobFinished(executionId, report);
}
