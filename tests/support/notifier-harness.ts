import "./quiet-log.ts";
import { notificationParamsSchema } from "../../schema/contract/notification.ts";
import type { NotificationChannel } from "../../schema/contract/notification.ts";
import { Notifier } from "../../worker/actors/notifier/notifier.ts";
import type { NotifierPorts } from "../../worker/actors/notifier/ports.ts";
import type { NotifierStorage } from "../../worker/actors/notifier/storage.ts";
import { NOT_PAUSED } from "../../worker/domain/control.ts";
import type { ControlState } from "../../worker/domain/control.ts";
import type { ChannelAnswer } from "../../worker/domain/notification/answer.ts";
import type { JobOrder, JobReport } from "../../worker/domain/job-order.ts";
import { SettingsUnknown } from "../../worker/services/notifications/read-settings.ts";
import type { Prepared } from "../../worker/services/notifications/prepared.ts";
import { ObjectStorage } from "./object-storage.ts";
import { order } from "./dispatcher-harness.ts";

const MAX_STEPS = 10_000;
/** How long a channel has to notice the end of its time. */
const GIVING_UP_MS = 2_000;
export const ACCEPTED = { type: "accepted", statusCode: 200, detail: "ok", messageId: "m1" } as const;
export const AWAY = { type: "unreachable", detail: "No connection could be made." } as const;

/** One attempt, as the other side sees it. */
export interface Attempt {
  readonly jobId: string;
  readonly at: number;
  readonly finished: readonly string[];
  readonly limitMs: number;
  /** For channels whose peer would take a repetition for another message; returns the rest of the limit. */
  handOver(): Promise<number>;
  answer(answer: ChannelAnswer): void;
}

/** A Notifier on a real SQLite database, with scripted peers. The test moves its clock and alarm. */
export class NotifierHarness {
  now = Date.UTC(2026, 0, 5, 12);
  alarmAt: number | null = null;
  runAway = false;
  control: ControlState = NOT_PAUSED;
  readonly reported: JobReport[] = [];
  readonly attempts: Attempt[] = [];
  /** The answer to an attempt; null leaves it open until the test answers it. */
  reply: (jobId: string, number: number) => ChannelAnswer | null = () => ACCEPTED;
  refusal: Extract<Prepared, { ok: false }>["failure"] | null = null;
  channel: NotificationChannel = "webhook";
  /** The channels' settings cannot be read. */
  channelsUnknown = false;
  /** Runs between the record of an attempt and its sending. */
  duringSync: () => void = () => undefined;
  readonly disk = new ObjectStorage();
  #generation = 0;
  #ringing = false;
  readonly #waits = new Set<{ until: number; resolve: () => void }>();
  notifier: Notifier;

  constructor() {
    this.notifier = this.#open();
  }

  /** The platform may put the object to sleep while this is false: no alarm runs or is due soon. */
  get isKeptAwake(): boolean {
    return this.#ringing || (this.alarmAt !== null && this.alarmAt <= this.now + 100);
  }

  /** The object ends without notice and restarts on the same storage. */
  restart(): void {
    this.notifier = this.#open();
  }

  enqueue(...jobIds: string[]): void {
    this.enqueueOrders(...jobIds.map((jobId) => this.order(jobId)));
  }

  enqueueOrders(...orders: JobOrder[]): void {
    this.notifier.enqueue(orders);
  }

  order(jobId: string, changes: Partial<JobOrder> = {}): JobOrder {
    return {
      ...order(jobId),
      action: "notification.sendNotification",
      connectionId: null,
      poolObject: "notifier:wf_1",
      params: { channel: this.channel, to: "x", message: "hello" },
      queuedAt: this.now,
      ...changes,
    };
  }

  /**
   * Lets time pass and fires the alarm whenever it is due and none runs: the platform never runs two at the same time.
   */
  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    for (let steps = 0; ; steps += 1) {
      if (steps > MAX_STEPS) throw new Error("the alarm rings without end");
      const next = Math.min(
        this.#ringing ? Number.POSITIVE_INFINITY : (this.alarmAt ?? Number.POSITIVE_INFINITY),
        ...[...this.#waits].map((wait) => wait.until),
      );
      if (next > until) break;
      this.#moveTo(Math.max(this.now, next));
      if (!this.#ringing && this.alarmAt !== null && this.alarmAt <= this.now) this.#ring();
      await finished();
    }
    this.#moveTo(until);
    await finished();
  }

  report(jobId: string): JobReport | undefined {
    return this.reported.find((report) => report.jobId === jobId);
  }

  attemptsOf(jobId: string): Attempt[] {
    return this.attempts.filter((one) => one.jobId === jobId);
  }

  #ring(): void {
    const generation = this.#generation;
    this.alarmAt = null;
    this.#ringing = true;
    void this.notifier.onAlarm().finally(() => {
      if (generation === this.#generation) this.#ringing = false;
    });
  }

  #moveTo(now: number): void {
    this.now = now;
    for (const wait of this.#waits) {
      if (wait.until > now) continue;
      this.#waits.delete(wait);
      wait.resolve();
    }
  }

  #open(): Notifier {
    this.#generation += 1;
    this.#ringing = false;
    this.#waits.clear();
    const generation = this.#generation;
    const storage: NotifierStorage = {
      sql: this.disk.sql,
      setAlarm: async (at) => {
        if (generation === this.#generation) this.alarmAt = at;
      },
      deleteAlarm: async () => {
        if (generation === this.#generation) this.alarmAt = null;
      },
      sync: async () => this.duringSync(),
    };
    return new Notifier({ storage, armedAt: this.alarmAt, ports: this.ports(), background: () => undefined });
  }

  /** `tests/actors/notifier/ports-conformance.test.ts` compares these ports with the real ones. */
  ports(): NotifierPorts {
    return {
      now: () => this.now,
      random: () => 0,
      readControl: async () => this.control,
      prepare: async ({ jobId, params }) => {
        if (this.channelsUnknown) throw new SettingsUnknown("the database does not answer");
        if (!notificationParamsSchema.safeParse(params).success) {
          return { ok: false, failure: { code: "invalid_params", message: "The parameters are not valid." } };
        }
        if (this.refusal !== null) return { ok: false, failure: this.refusal };
        const target = { channel: this.channel, to: [jobId] };
        // `send` below answers instead of the channel, and recognizes the job by its target.
        return { ok: true, delivery: { target, send: () => Promise.resolve(ACCEPTED) } };
      },
      send: ({ target: { to } }, already, { limitMs, noteHandover }) => {
        const jobId = to[0] ?? "";
        const { promise, resolve } = Promise.withResolvers<ChannelAnswer>();
        let endsAt = this.now + limitMs;
        const stillTrying = () => {
          if (this.now >= endsAt) throw new DOMException("It took too long.", "TimeoutError");
        };
        const handOver = async () => {
          stillTrying();
          const moreMs = await noteHandover();
          stillTrying();
          endsAt = this.now + moreMs;
          return moreMs;
        };
        this.attempts.push({ jobId, at: this.now, finished: [...already], limitMs, handOver, answer: resolve });
        const giveUp = () => {
          const until = endsAt + GIVING_UP_MS;
          if (this.now >= until) resolve({ type: "unknown", detail: "The attempt ended without an answer." });
          else this.#waits.add({ until, resolve: giveUp });
        };
        const answer = this.reply(jobId, this.attemptsOf(jobId).length);
        if (answer === null) giveUp();
        else resolve(answer);
        return promise;
      },
      notifyCompletion: async (_facts, report) => {
        if (this.runAway) throw new Error("the run does not answer");
        this.reported.push(report);
      },
      atMost: async (work, limitMs) => {
        const wait = Promise.withResolvers<void>();
        const entry = { until: this.now + limitMs, resolve: wait.resolve };
        this.#waits.add(entry);
        try {
          await Promise.race([work, wait.promise]);
        } finally {
          this.#waits.delete(entry);
        }
      },
    };
  }
}

/** Resolves when all work that needs neither time nor a peer is done. */
async function finished(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
