import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import type { ControlState } from "../../domain/control.ts";
import type { JobOrder, JobReport } from "../../domain/job-order.ts";
import { readControl } from "../../services/control/index.ts";
import type { Deps } from "../../services/deps.ts";
import { prepareDelivery, readNotificationSettings, sendOnce } from "../../services/notifications/index.ts";
import type { AttemptLimits, Delivery, Prepared } from "../../services/notifications/index.ts";
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
  /** Rejects with `SettingsUnknown` while the channels cannot be read. */
  prepare(order: JobOrder): Promise<Prepared<ReceiverType>>;
  /** One attempt. Never throws. */
  send(delivery: Delivery<ReceiverType>, finished: ReadonlySet<string>, attempt: AttemptLimits): Promise<ChannelAnswer>;
  /**
   * Reports a job's end to the execution that ordered it. Resolves when the execution has committed it, and rejects
   * when that fails.
   */
  notifyCompletion(facts: NotificationFacts, report: JobReport): Promise<void>;
  /** Resolves when `work` does, or after `limitMs`. */
  atMost(work: Promise<unknown>, limitMs: number): Promise<void>;
}

const NOTIFY_LIMIT_MS = 20_000;

export function createNotifierPorts(deps: Deps): NotifierPorts {
  return {
    now: deps.now,
    random: Math.random,
    readControl: () => readControl(deps),
    prepare: async (order) => prepareDelivery(await readNotificationSettings(deps), order),
    send: sendOnce,
    notifyCompletion: (facts, report) =>
      withTimeout(NOTIFY_LIMIT_MS, "reporting a notification's end", notifyCompletion(deps, facts, report)),
    atMost: (work, limitMs) => waitAtMost(limitMs, work),
  };
}

async function notifyCompletion(
  deps: Deps,
  { executionId, workflowId }: NotificationFacts,
  report: JobReport,
): Promise<void> {
  if (executionId === null || workflowId === null) await endJobWithoutExecution(deps.db, report);
  else await deps.objects.workflowRuns({ workflowId }).jobFinished(executionId, report);
}
