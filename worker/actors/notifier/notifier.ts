import { NOT_PAUSED, pausedReason } from "../../domain/control.ts";
import type { Pause } from "../../domain/control.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import { logError } from "../../services/log.ts";
import type { JobState } from "../dispatcher/index.ts";
import { ObjectAlarm } from "../kit/alarm.ts";
import { earliest } from "../kit/earliest.ts";
import { Outbox } from "../kit/outbox.ts";
import { attempt } from "./attempt.ts";
import { cancelNotification, hasBegun, resumeInterrupted, timesOf } from "./notification.ts";
import type { NotifierPorts } from "./ports.ts";
import { NotificationTable, nextTryAt } from "./storage.ts";
import type { LiveNotification, NotifierStorage } from "./storage.ts";
import { Turns } from "./turns.ts";
import type { Lanes } from "./turns.ts";
import { shownTime } from "../../domain/shown-time.ts";

export interface NotifierOptions {
  readonly storage: NotifierStorage;
  /** The alarm that the storage holds (epoch ms); null for none. */
  readonly armedAt: number | null;
  readonly ports: NotifierPorts;
  /** Keeps the object awake for work that no caller waits for. */
  background(work: Promise<unknown>): void;
  readonly lanes?: Lanes;
  /** When the object that this Notifier is a part of needs its alarm (epoch ms); null for never. */
  readonly ownerDueAt?: () => number | null;
}

/** An alarm may work for some minutes. The next one continues with the attempts under way. */
const WORK_MAX_MS = 60_000;
/** The pause in which no attempt begins or resumes, after the channels could not be read or an outcome not stored. */
const FAULT_PAUSE_MS = 10_000;
/** How often the owner's time is looked for while an alarm works. */
const OWNER_LOOKED_AT_MS = 2_000;
/** How often the end of a pause is looked for while notifications wait for it. */
const LOOK_EVERY_MS = 2_000;
const ITS_TURN = {
  code: "turn",
  detail: "The notification waits for its turn: a workflow sends a few at a time.",
} as const;

/**
 * Sends the notifications of one workflow. Attempts run while its alarm works: otherwise the platform may put the
 * object to sleep, and an answer would be lost. Every change ends with `#reconcile`.
 */
export class Notifier {
  readonly #ports: NotifierPorts;
  readonly #background: NotifierOptions["background"];
  readonly #turns: Turns;
  readonly #ownerDueAt: NotifierOptions["ownerDueAt"];
  readonly #table: NotificationTable;
  readonly #alarm: ObjectAlarm;
  readonly #outbox: Outbox<LiveNotification>;
  /** The attempts under way. They never reject. */
  readonly #sending = new Map<LiveNotification, Promise<void>>();
  #isAtWork = false;
  #pausedUntil = 0;
  #control = NOT_PAUSED;
  /** When the control object was last read (epoch ms). */
  #controlReadAt = 0;

  /** The object may have ended during attempts; they are resumed. */
  constructor({ storage, armedAt, ports, background, lanes, ownerDueAt }: NotifierOptions) {
    this.#ports = ports;
    this.#turns = new Turns(lanes ?? null);
    this.#ownerDueAt = ownerDueAt;
    this.#background = background;
    this.#table = new NotificationTable(storage);
    this.#alarm = new ObjectAlarm(storage, { now: ports.now, dueAt: () => this.#dueAt() }, armedAt);
    this.#outbox = new Outbox({
      pending: () => this.#table.ended,
      send: (live) => this.#reportEnd(live),
      now: ports.now,
      logFields: ({ notification }) => ({ jobId: notification.facts.jobId }),
    });
    this.#resumeInterrupted();
    this.#alarm.arm();
  }

  /** Adds notifications. Idempotent by job and attempt. */
  enqueue(orders: readonly JobOrder[]): void {
    for (const order of orders) this.#table.insert(order, this.#ports.now());
    this.#reconcile();
  }

  /**
   * Ends jobs that were not sent; an attempt under way is the last one. A job that has not arrived yet is refused when
   * it does. Does not wait until the run takes the reports, because the run is the caller.
   */
  cancel(jobIds: readonly string[]): void {
    const now = this.#ports.now();
    for (const jobId of jobIds) {
      const live = this.#table.get(jobId);
      if (live === undefined) this.#table.refuse(jobId, now);
      else this.#table.change(live, cancelNotification(live.notification, now));
    }
    this.#reconcile();
  }

  /** The states of those jobs that this Notifier knows, in the same form as a dispatcher's. */
  jobStates(jobIds: readonly string[]): JobState[] {
    return jobIds.flatMap((jobId): JobState[] => {
      const live = this.#table.get(jobId);
      if (live !== undefined) return [stateOf(jobId, live, this.#control.pause)];
      const past = this.#table.finished(jobId);
      if (past === null) return [];
      const unknown = { queuedAt: null, assignedAt: null, deliveredAt: null, startedAt: null };
      const times = { ...unknown, finishedAt: past.finishedAt, reportedAt: past.finishedAt };
      return [{ jobId, status: "finished", agentId: null, waiting: null, times }];
    });
  }

  /** The last attempt of a notification that is tried again, and when (epoch ms); null for any other. */
  lastTry(jobId: string): { detail: string; nextAt: number } | null {
    const { stage, attempts } = this.#table.get(jobId)?.notification ?? {};
    const last = attempts?.at(-1);
    return stage?.type !== "waiting" || last === undefined ? null : { detail: last.detail, nextAt: stage.nextAt };
  }

  onAlarm(): Promise<void> {
    return this.#alarm.ring(async () => {
      this.#isAtWork = true;
      try {
        this.#table.prune(this.#ports.now());
        this.#resumeInterrupted();
        if (this.#areHeld) await this.#followControl();
        this.#reconcile();
        await this.#staySending();
      } finally {
        this.#isAtWork = false;
      }
    });
  }

  /** Begins the attempts that are due, reports ends and arms the alarm. */
  #reconcile(): void {
    if (this.#isAtWork) this.#beginTries();
    // In the background, so that a run that does not answer takes no place from the attempts.
    if (this.#outbox.dueAt() !== null) this.#background(this.#outbox.drain().then(() => this.#alarm.arm()));
    this.#alarm.arm();
  }

  #beginTries(): void {
    const now = this.#ports.now();
    for (let live = this.#next; live !== undefined && this.#tryAt(live) <= now; live = this.#next) {
      // In a later turn: an attempt that awaits nothing would end before it is in the map.
      const work = Promise.resolve().then(() => this.#try(live));
      this.#sending.set(live, work);
      this.#background(work);
    }
  }

  async #try(live: LiveNotification): Promise<void> {
    try {
      // A pause keeps back the notifications that have not begun.
      await this.#followControl();
      const isHeld = this.#control.pause !== null && !hasBegun(live.notification);
      if (!isHeld) await attempt(this.#table, this.#ports, live, this.#control.resumedAt);
    } catch (error) {
      logError("the channels could not be read, or the outcome of an attempt not stored", { error: String(error) });
      this.#pausedUntil = this.#ports.now() + FAULT_PAUSE_MS;
    }
    this.#sending.delete(live);
    this.#turns.ended(live);
    this.#reconcile();
  }

  async #followControl(): Promise<void> {
    this.#control = await this.#ports.readControl();
    this.#controlReadAt = this.#ports.now();
  }

  /** Waits while attempts are under way and nothing else is due, because two alarms never run at the same time. */
  async #staySending(): Promise<void> {
    const { atMost, now } = this.#ports;
    const until = now() + WORK_MAX_MS;
    while (this.#sending.size > 0) {
      // The end of an attempt may be stored and not sent yet.
      this.#reconcile();
      const waitMs = Math.min(until, this.#dueAt() ?? until, this.#ownerDueAt?.() ?? until) - now();
      if (waitMs <= 0) return;
      const lookMs = this.#ownerDueAt === undefined ? waitMs : Math.min(waitMs, OWNER_LOOKED_AT_MS);
      await atMost(Promise.race(this.#sending.values()), lookMs);
    }
  }

  /** Resumes attempts whose end was not stored. */
  #resumeInterrupted(): void {
    for (const live of this.#strays) {
      this.#table.change(live, resumeInterrupted(live.notification, this.#ports.now()));
    }
  }

  async #reportEnd(live: LiveNotification): Promise<void> {
    const { facts, stage } = live.notification;
    if (stage.type !== "ended") return;
    await this.#ports.notifyCompletion(facts, stage.report);
    this.#table.finish(live, this.#ports.now());
  }

  #dueAt(): number | null {
    // The next alarm continues with the attempts under way.
    if (this.#sending.size > 0 && !this.#isAtWork) return this.#ports.now();
    const next = this.#next;
    return earliest([
      this.#outbox.dueAt(),
      this.#table.pruneAt,
      this.#strays.length > 0 ? this.#pausedUntil : null,
      next === undefined ? null : this.#tryAt(next),
      this.#areHeld ? this.#controlReadAt + LOOK_EVERY_MS : null,
    ]);
  }

  /** The notification to try next; undefined when none waits or there is no room. The end of an attempt makes room. */
  get #next(): LiveNotification | undefined {
    const { waiting, waitingAgain } = this.#table;
    const open = this.#control.pause === null ? waiting : waitingAgain;
    return this.#turns.next(open, this.#sending, (live) => this.#tryAt(live), this.#ports.now());
  }

  /** Whether notifications wait for the end of a pause. */
  get #areHeld(): boolean {
    const { waiting, waitingAgain } = this.#table;
    return this.#control.pause !== null && waiting.size > waitingAgain.size;
  }

  #tryAt(live: LiveNotification): number {
    return Math.max(nextTryAt(live), this.#pausedUntil);
  }

  /** Notifications whose attempt has ended without a stored outcome. */
  get #strays(): LiveNotification[] {
    return [...this.#table.sending].filter((live) => !this.#sending.has(live));
  }
}

/** `delivered` from the first attempt on, because the service itself performs the job. */
function stateOf(jobId: string, { notification }: LiveNotification, pause: Pause | null): JobState {
  const { stage, attempts } = notification;
  const shown = { jobId, agentId: null, times: timesOf(notification) };
  switch (stage.type) {
    case "waiting": {
      const last = attempts.at(-1);
      if (last === undefined) {
        return { ...shown, status: "queued", waiting: pause === null ? ITS_TURN : pausedReason(pause) };
      }
      const until = new Date(stage.nextAt).toISOString();
      const detail = `Attempt ${attempts.length} failed (${last.detail}). The next one is at ${shownTime(stage.nextAt)}.`;
      return { ...shown, status: "delivered", waiting: { code: "next_try", until, detail } };
    }
    case "sending":
      return { ...shown, status: "delivered", waiting: null };
    case "ended":
      return { ...shown, status: "finished", waiting: null };
  }
}
