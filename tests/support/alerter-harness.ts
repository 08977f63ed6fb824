import "./quiet-log.ts";
import type { NotificationRuleInput } from "../../schema/contract/notification-rule.ts";
import type { ReceiverType } from "../../schema/contract/notification-receiver.ts";
import { notificationRuleInputSchema } from "../../schema/contract/notification-rule.ts";
import { Alerter } from "../../worker/actors/alerter/alerter.ts";
import type { AlerterPorts, ReadEvents } from "../../worker/actors/alerter/ports.ts";
import type { NotifierStorage } from "../../worker/actors/notifier/index.ts";
import type { ActiveRule, AlertEvent } from "../../worker/domain/alerts/event.ts";
import type { PoolFacts, PoolsRead } from "../../worker/domain/alerts/conditions.ts";
import type { ChannelAnswer } from "../../worker/domain/notification/answer.ts";
import type { Failing, Recoveries } from "../../worker/services/alerts/index.ts";
import type { NoticeMessage } from "../../worker/services/notifications/index.ts";
import { ObjectStorage } from "./object-storage.ts";

const MAX_STEPS = 100_000;
const MINUTE_MS = 60_000;
export const AWAY = { type: "unreachable", detail: "No connection could be made." } as const;
export const REFUSED = {
  type: "refused",
  protocol: "http",
  statusCode: 404,
  detail: "no_service",
  retryAfterMs: null,
  login: false,
} as const;
export const ACCEPTED = { type: "accepted", statusCode: 200, detail: "ok", messageId: null } as const;

export interface Sent extends NoticeMessage {
  readonly receiverId: string;
  readonly sentAt: number;
}

/** An Alerter on a real SQLite database, with scripted facts and receivers. The test moves its clock, tick and alarm. */
export class AlerterHarness {
  now = Date.UTC(2026, 0, 5, 12);
  alarmAt: number | null = null;
  isDatabaseAway = false;
  /** A read that always fails. */
  broken: string | null = null;
  disk = new ObjectStorage();
  readonly rules: ActiveRule[] = [];
  receivers = ["ntr_1", "ntr_2"];
  address = "x";
  receiverType: ReceiverType = "webhook";
  /** What the database has, in any order; `readableAt` is when it was committed. */
  readonly failed: { event: AlertEvent; readableAt: number }[] = [];
  readonly switchedOff: { event: AlertEvent; readableAt: number }[] = [];
  readonly lostCredentials: { event: AlertEvent; readableAt: number }[] = [];
  readonly refusedLogins: { event: AlertEvent; readableAt: number }[] = [];
  pools: PoolFacts[] = [];
  /** Pools and agents that exist and were not read. */
  unread: PoolsRead["unread"] = { poolIds: [], agentIds: [] };
  readonly asking: { event: AlertEvent; readableAt: number }[] = [];
  /** The last success of each workflow; null for a deleted one. */
  readonly successes = new Map<string, number | null>();
  /** How often each source was read. */
  readonly reads: Record<string, number> = {};
  readonly sent: Sent[] = [];
  reply: (message: Sent) => ChannelAnswer | Promise<ChannelAnswer> = () => ACCEPTED;
  #notices = 0;
  #ringing: Promise<void> | null = null;
  readonly #timers = new Set<{ at: number; ring: () => void }>();
  alerter: Alerter;

  constructor() {
    this.alerter = this.#open();
  }

  addRule(fields: object = {}): NotificationRuleInput {
    const id = `nru_${this.rules.length + 1}`;
    const input = { name: id, on: "run_failed", receivers: ["ntr_1"], ...fields };
    const rule = notificationRuleInputSchema.parse(input);
    this.rules.push({ id, since: this.now, rule });
    return rule;
  }

  /** Changes fields of the nth rule. */
  changeRule(n: number, fields: object): void {
    const active = this.rules[n];
    if (active === undefined) throw new Error("there is no such rule");
    this.rules[n] = { ...active, rule: notificationRuleInputSchema.parse({ ...active.rule, ...fields }) };
  }

  /** A failed execution of a workflow that ends now. */
  fail(id: string, more: Partial<AlertEvent> & { readableAt?: number } = {}): void {
    const { readableAt = this.now, ...event } = more;
    const at = event.at ?? this.now;
    const line = { at, subject: `${id} failed`, details: [], path: `/executions/${id}` };
    const workflow = { id: "wf_1", name: "one", tags: [] };
    this.failed.push({
      event: { on: "run_failed", key: `failed:${id}`, at, workflow, failure: "first", line, ...event },
      readableAt,
    });
  }

  /** The object ends without notice and restarts on the same storage. */
  restart(): void {
    this.alerter = this.#open();
  }

  async tick(): Promise<void> {
    await this.alerter.tick(this.now);
    await this.advance(0);
  }

  /** A tick each minute, and the alarm whenever it is due. */
  async minutes(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      await this.advance(MINUTE_MS);
      await this.tick();
    }
  }

  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    for (let steps = 0; ; steps += 1) {
      if (steps > MAX_STEPS) throw new Error("the alarm rings without end");
      if (this.#ringing === null && this.alarmAt !== null && this.alarmAt <= until) {
        this.now = Math.max(this.now, this.alarmAt);
        this.alarmAt = null;
        this.#ringing = this.alerter.onAlarm().finally(() => {
          this.#ringing = null;
        });
      }
      if (this.#ringing === null) break;
      await this.#ringing;
    }
    this.now = until;
  }

  /** An answer that comes after a time. The test lets it pass by `seconds`. */
  async after(ms: number, answer: ChannelAnswer): Promise<ChannelAnswer> {
    await this.#time(ms);
    return answer;
  }

  /** Lets time pass second by second, also while an alarm works, with a tick each minute. */
  async seconds(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      this.now += 1_000;
      if (this.now % MINUTE_MS === 0) void this.alerter.tick(this.now);
      const due = [...this.#timers].filter(({ at }) => at <= this.now);
      for (const timer of due) {
        this.#timers.delete(timer);
        timer.ring();
      }
      if (this.#ringing === null && this.alarmAt !== null && this.alarmAt <= this.now) {
        this.alarmAt = null;
        this.#ringing = this.alerter.onAlarm().finally(() => {
          this.#ringing = null;
        });
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #time(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#timers.add({ at: this.now + ms, ring: resolve });
    return promise;
  }

  /** The subjects of what was sent to a receiver. */
  subjects(receiverId = "ntr_1"): string[] {
    return this.sent.flatMap((one) => (one.receiverId === receiverId ? one.subject : []));
  }

  #read(name: string): void {
    this.reads[name] = (this.reads[name] ?? 0) + 1;
    if (this.isDatabaseAway || this.broken === name) throw new Error("the database does not answer");
  }

  #source(name: "failed" | "switchedOff" | "asking" | "lostCredentials" | "refusedLogins"): ReadEvents {
    return async (after, limit) => {
      this.#read(name);
      const events = this[name]
        .filter(({ readableAt }) => readableAt <= this.now)
        .map(({ event }) => event)
        .filter(({ at, key }) => at > after.at || (at === after.at && key > after.id))
        .toSorted((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))
        .slice(0, limit);
      const last = events.at(-1);
      return {
        events,
        last: last === undefined ? null : { at: last.at, id: last.key },
        isFull: events.length === limit,
      };
    };
  }

  #open(): Alerter {
    const storage: NotifierStorage = {
      sql: this.disk.sql,
      setAlarm: async (at) => {
        this.alarmAt = at;
      },
      deleteAlarm: async () => {
        this.alarmAt = null;
      },
      sync: () => Promise.resolve(),
    };
    return new Alerter({ storage, armedAt: this.alarmAt, ports: this.#ports(), background: () => undefined });
  }

  #ports(): AlerterPorts {
    return {
      now: () => this.now,
      random: () => 0,
      atMost: (work, limitMs) => Promise.race([work.then(() => undefined), this.#time(limitMs)]),
      newNoticeId: () => `ntc_${String((this.#notices += 1)).padStart(6, "0")}`,
      origin: "https://bellhop.example",
      readKnownRules: async () => {
        this.#read("rules");
        const receivers = this.receivers.map((id) => {
          return { id, type: this.receiverType, recipients: null, sealedAddress: this.address, shown: id };
        });
        return { rules: [...this.rules], receivers, channels: [] };
      },
      failedRuns: this.#source("failed"),
      switchedOff: this.#source("switchedOff"),
      asking: this.#source("asking"),
      lostCredentials: this.#source("lostCredentials"),
      refusedLogins: this.#source("refusedLogins"),
      pools: async () => {
        this.#read("pools");
        return { pools: this.pools, unread: this.unread };
      },
      recoveries: async (failing) => {
        this.#read("recoveries");
        return this.#recoveries(failing);
      },
      prepare: async (receiver, message) => {
        const sent = { ...message, receiverId: receiver.id, sentAt: this.now };
        const target = { channel: receiver.type, to: [JSON.stringify(sent)] };
        return { ok: true, delivery: { target, send: () => Promise.resolve(ACCEPTED) } };
      },
      send: async ({ target }) => {
        const message: Sent = JSON.parse(target.to[0] ?? "");
        this.sent.push(message);
        return this.reply(message);
      },
    };
  }

  #recoveries(failing: readonly Failing[]): Recoveries {
    const succeeded = ({ workflowId, key }: Failing) =>
      this.successes.get(key === null ? workflowId : `${workflowId} ${key}`);
    const found = failing.flatMap((one) => {
      const at = succeeded(one) ?? 0;
      if (at <= one.at) return [];
      const { workflowId, key } = one;
      const subject = `${workflowId} recovered${key === null ? "" : ` for ${key}`}`;
      const line = { at, subject, details: [], path: null };
      const workflow = { id: workflowId, name: workflowId, tags: [] };
      const event: AlertEvent = {
        on: "run_failed",
        key: `recovered:${workflowId}:${one.at}:${key}`,
        at,
        workflow,
        failure: "recovered",
        runKey: key,
        line,
      };
      return [{ failing: one, event }];
    });
    return { recovered: found, gone: failing.filter((one) => succeeded(one) === null) };
  }
}
