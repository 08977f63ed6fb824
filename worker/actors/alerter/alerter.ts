import { failureMessage } from "../../store/errors.ts";
import type { KnownRules } from "../../services/alerts/index.ts";
import { logWarning } from "../../services/log.ts";
import type { AlerterCollected, AlerterNotice, AlerterSummary } from "../../services/ports.ts";
import { ObjectAlarm } from "../kit/alarm.ts";
import { earliest } from "../kit/earliest.ts";
import type { NotifierStorage } from "../notifier/index.ts";
import { forgetLasting, judgeDatabase, readLasting } from "./lasting.ts";
import { Notices } from "./notices.ts";
import { readEvents } from "./pass.ts";
import type { AlerterPorts } from "./ports.ts";
import { Sender } from "./sender.ts";
import { AlerterTables } from "./storage.ts";

export interface AlerterOptions {
  readonly storage: NotifierStorage;
  /** The alarm that the storage holds (epoch ms); null for none. */
  readonly armedAt: number | null;
  readonly ports: AlerterPorts;
  /** Keeps the object awake for work that no caller waits for. */
  background(work: Promise<unknown>): void;
}

/** Longer than the time between two requests for an early look, and time for other executions of a storm to end. */
const NUDGE_MS = 3_000;
const AWAY_SINCE = "database-away-since";

/**
 * Reports what enabled rules ask for: it reads events from libSQL every minute, collects them into messages and sends
 * these. Everything that it has noticed is in its own storage before it is sent.
 */
export class Alerter {
  readonly #ports: AlerterPorts;
  readonly #tables: AlerterTables;
  readonly #notices: Notices;
  readonly #sender: Sender;
  readonly #alarm: ObjectAlarm;
  /** When the next early look is due, and the last one that was asked for (epoch ms); null without one. */
  #lookAt: number | null = null;
  #lookAgainAt: number | null = null;
  #looking: Promise<void> | null = null;

  constructor({ storage, armedAt, ports, background }: AlerterOptions) {
    this.#ports = ports;
    this.#tables = new AlerterTables(storage);
    this.#notices = new Notices(this.#tables, ports, (noticeIds) => this.#sender.send(noticeIds));
    this.#alarm = new ObjectAlarm(storage, { now: ports.now, dueAt: () => this.#dueAt() }, armedAt);
    this.#sender = new Sender({
      storage,
      ports,
      receiverOf: (noticeId) => this.#tables.outcomes.receiverOf(noticeId),
      prepare: (noticeId) => this.#notices.prepare(noticeId),
      ended: (report) => this.#notices.ended(report),
      ownerDueAt: () => this.#ownDueAt(),
      armed: () => this.#alarm.arm(),
      background,
    });
    this.#notices.endLost((noticeId) => this.#sender.has(noticeId));
    this.#alarm.arm();
  }

  /** The minute's look. What lasts is judged by the tick's time. */
  async tick(now: number): Promise<void> {
    await this.#look();
    await this.#lookAtLasting(now);
    this.#alarm.arm();
  }

  /** Looks soon, when there are rules. */
  nudge(): void {
    if (this.#notices.enabled.length > 0) this.#lookSoon(NUDGE_MS);
  }

  refresh(): void {
    this.#lookSoon(0);
  }

  notices(ruleId: string): AlerterNotice[] {
    return this.#tables.noticesOf(ruleId).map(({ id, at, receiverId, message, count, result, detail }) => {
      const why = detail ?? this.#sender.whyNot(id);
      return { id, at, receiverId, subject: message.subject, count, result, detail: why };
    });
  }

  collected(ruleId: string): AlerterCollected | null {
    return this.#notices.collectedOf(ruleId);
  }

  /** A notice that was tried without success counts as a failure until it arrives. */
  summary(): AlerterSummary {
    const outcomes = this.#tables.outcomes.byRule();
    const failures = this.#notices.known.rules.flatMap(({ id, rule: { receivers } }) => {
      const tried = (outcomes.get(id) ?? [])
        .filter(({ receiverId }) => receivers.includes(receiverId))
        .map((notice) => ({ ...notice, detail: notice.detail ?? this.#sender.whyNot(notice.id) }))
        .filter(({ result, detail }) => result !== "sending" || detail !== null);
      const last = Map.groupBy(tried, ({ receiverId }) => receiverId);
      const newest = [...last.values()].flatMap(([first]) => first ?? []);
      const failed = newest.find(({ result }) => result !== "sent");
      if (failed === undefined) return [];
      const { at, receiverId, detail } = failed;
      return [[id, { at, receiverId, detail: detail ?? "" }] as const];
    });
    return { failures: Object.fromEntries(failures), counts: this.#tables.counts() };
  }

  onAlarm(): Promise<void> {
    return this.#alarm.ring(async () => {
      const isDue = this.#lookAt !== null && this.#lookAt <= this.#ports.now();
      const look = isDue ? this.#look() : Promise.resolve();
      this.#notices.sendDue();
      // A slow receiver does not hold up the look.
      await Promise.all([look, this.#sender.onAlarm()]);
    });
  }

  #lookSoon(inMs: number): void {
    const at = this.#ports.now() + inMs;
    this.#lookAt = Math.min(this.#lookAt ?? at, at);
    this.#lookAgainAt = Math.max(this.#lookAgainAt ?? at, at);
    this.#alarm.arm();
  }

  /** One look at a time: callers that come meanwhile wait for the one under way. */
  #look(): Promise<void> {
    if (this.#looking === null) this.#beginLook(this.#ports.now());
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** A look that is due later, or is asked for during this one, stays: it is about what this one cannot see. */
  #beginLook(now: number): void {
    if (this.#lookAt === null || this.#lookAt > now) return;
    if (this.#lookAgainAt !== null && this.#lookAgainAt <= now) this.#lookAgainAt = null;
    this.#lookAt = this.#lookAgainAt;
  }

  async #lookNow(): Promise<void> {
    try {
      await this.#readRules();
      await readEvents({ tables: this.#tables, ports: this.#ports, notices: this.#notices });
    } catch (error) {
      logWarning("what rules report could not be read; the next look continues", { error: failureMessage(error) });
    }
    this.#notices.sendDue();
  }

  /** Also notes whether the database answers. */
  async #readRules(): Promise<void> {
    let known: KnownRules;
    try {
      known = await this.#ports.readKnownRules();
    } catch (error) {
      if (this.#notices.enabled.length > 0) this.#tables.setFact(AWAY_SINCE, this.#awaySince ?? this.#ports.now());
      throw error;
    }
    this.#tables.setFact(AWAY_SINCE, null);
    this.#notices.follow(known);
  }

  /** Since when the database has not answered (epoch ms); null when it answers. */
  get #awaySince(): number | null {
    return this.#tables.fact<number>(AWAY_SINCE);
  }

  async #lookAtLasting(now: number): Promise<void> {
    const places = { tables: this.#tables, notices: this.#notices };
    forgetLasting(places);
    judgeDatabase(places, this.#awaySince, now);
    if (this.#awaySince !== null) return;
    try {
      await readLasting(this.#ports, places, now);
    } catch (error) {
      const fields = { error: failureMessage(error) };
      logWarning("the state of pools could not be read for rules; the next look continues", fields);
    }
  }

  #dueAt(): number | null {
    return earliest([this.#ownDueAt(), this.#sender.dueAt]);
  }

  #ownDueAt(): number | null {
    return earliest([this.#lookAt, this.#notices.dueAt()]);
  }
}
