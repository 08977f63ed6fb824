import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import { NOTICE_ATTEMPTS_AT_ONCE } from "../../../schema/limits.ts";
import { NOT_PAUSED } from "../../domain/control.ts";
import type { JobOrder, JobReport } from "../../domain/job-order.ts";
import type { Prepared } from "../../services/notifications/index.ts";
import type { AlarmStorage } from "../kit/alarm.ts";
import type { SqlStorage } from "../kit/object-tables.ts";
import { NOTICES, Notifier } from "../notifier/index.ts";
import type { NotifierPorts } from "../notifier/index.ts";
import { shownTime } from "../../domain/shown-time.ts";

/** Of one attempt: as long as a mail server may take for a message that it has (RFC 5321, 4.5.3.2.6). */
const TIME_LIMIT_SECONDS = 10 * 60;

export interface SenderOptions {
  readonly storage: SqlStorage & { sync(): Promise<void> };
  readonly ports: Pick<NotifierPorts, "now" | "random" | "send" | "atMost">;
  /** Of a notice that is on its way. */
  receiverOf(noticeId: string): string | null;
  /** The next attempt of a notice; refuses a notice that is no longer wanted. */
  prepare(noticeId: string): Promise<Prepared<ReceiverType>>;
  /** The end of a notice. May be called twice. */
  ended(report: JobReport): void;
  /** When the alarm has work other than sending (epoch ms); null for never. */
  ownerDueAt(): number | null;
  /** The time at which `onAlarm` is to be called has changed. */
  armed(): void;
  background(work: Promise<unknown>): void;
}

/** Sends notices by the rules of a Notifier, with its attempts and its storage, inside of another object. */
export class Sender {
  readonly #notifier: Notifier;
  readonly #options: SenderOptions;
  /** When the Notifier's alarm is due (epoch ms); null for never. */
  dueAt: number | null = null;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { storage, ports, background } = options;
    let isOpen = false;
    const setDue = async (at: number | null) => {
      this.dueAt = at;
      // The owner does not have this sender yet, and looks at `dueAt` as soon as it has.
      if (isOpen) options.armed();
    };
    const alarm: AlarmStorage = { setAlarm: setDue, deleteAlarm: () => setDue(null) };
    this.#notifier = new Notifier({
      storage: { sql: storage.sql, sync: () => storage.sync(), ...alarm },
      armedAt: null,
      ports: {
        ...ports,
        // A pause stops actions. Notices say what happens meanwhile.
        readControl: async () => NOT_PAUSED,
        prepare: ({ jobId }) => options.prepare(jobId),
        notifyCompletion: async (_facts, report) => options.ended(report),
      },
      background,
      lanes: { of: ({ jobId }) => options.receiverOf(jobId), attemptsAtOnce: NOTICE_ATTEMPTS_AT_ONCE },
      ownerDueAt: () => options.ownerDueAt(),
    });
    isOpen = true;
  }

  send(noticeIds: readonly string[]): void {
    this.#notifier.enqueue(noticeIds.map((id) => orderOf(id, this.#options.ports.now())));
  }

  has(noticeId: string): boolean {
    return this.#notifier.jobStates([noticeId]).length > 0;
  }

  /** Why a notice that is on its way has not arrived yet; null before its first attempt has failed. */
  whyNot(noticeId: string): string | null {
    const last = this.#notifier.lastTry(noticeId);
    if (last === null) return null;
    return `The last attempt failed (${last.detail}). The next one is at ${shownTime(last.nextAt)}.`;
  }

  async onAlarm(): Promise<void> {
    if (this.dueAt === null || this.dueAt > this.#options.ports.now()) return;
    await this.#notifier.onAlarm();
  }
}

/** A notice belongs to no execution. Its message stays in the notice, so that every attempt finds its present receiver. */
function orderOf(noticeId: string, queuedAt: number): JobOrder {
  return {
    jobId: noticeId,
    attempt: 1,
    kind: "action",
    executionId: null,
    workflowId: null,
    nodeRunId: null,
    action: "notification.sendNotification",
    effect: "unsafe",
    connectionId: null,
    poolObject: NOTICES,
    pinnedAgentId: null,
    params: {},
    values: {},
    timeoutSeconds: TIME_LIMIT_SECONDS,
    queueTimeoutSeconds: null,
    onAgentLost: null,
    queuedAt,
  };
}
