import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { NotificationFacts } from "../../domain/notification.ts";
import type { JobOrder, JobReport } from "../../domain/run-types.ts";
import { endJobWithoutExecution } from "../../store/pool-jobs.ts";
import type { Deps } from "../deps.ts";
import { within } from "../pool/within.ts";
import { prepareDelivery } from "./delivery.ts";
import type { Delivery, Prepared } from "./prepared.ts";

/** All that a Notifier needs of what is around it. */
export interface NotifierWorld {
  /** Epoch milliseconds. */
  now(): number;
  /** In [0, 1). */
  random(): number;
  prepare(order: JobOrder): Prepared;
  /** One try, with its limit; never throws. */
  send(delivery: Delivery, settled: ReadonlySet<string>, limitMs: number): Promise<ChannelAnswer>;
  /** Tells whoever ordered it how it ended; resolves when that is committed, throws when it cannot be. */
  tellEnd(facts: NotificationFacts, report: JobReport): Promise<void>;
  /** Resolves when `work` does, and at the latest after `limitMs`. */
  atMost(work: Promise<unknown>, limitMs: number): Promise<void>;
}

const TELL_LIMIT_MS = 20_000;
/** What a channel gets to notice that it was told to give up. */
const GIVING_UP_MS = 2_000;

export function createNotifierWorld(deps: Deps): NotifierWorld {
  return {
    now: deps.now,
    random: Math.random,
    prepare: (order) => prepareDelivery(deps.env, order),
    send,
    tellEnd: (facts, report) => within(TELL_LIMIT_MS, "telling a notification's end", tellEnd(deps, facts, report)),
    atMost: async (work, limitMs) => {
      // Running late is no failure here.
      await within(limitMs, "waiting", work).catch(() => undefined);
    },
  };
}

async function send(delivery: Delivery, settled: ReadonlySet<string>, limitMs: number): Promise<ChannelAnswer> {
  const work = delivery.send(settled, AbortSignal.timeout(limitMs));
  try {
    return await within(limitMs + GIVING_UP_MS, "a try", work);
  } catch {
    return { type: "unknown", detail: "The try ended without an answer." };
  }
}

async function tellEnd(deps: Deps, { executionId, workflowId }: NotificationFacts, report: JobReport): Promise<void> {
  if (executionId === null || workflowId === null) await endJobWithoutExecution(deps.db, report);
  else await deps.objects.run({ workflowId }).jobFinished(executionId, report);
}
