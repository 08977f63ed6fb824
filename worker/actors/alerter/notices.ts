import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import { NOTICES_WAITING_MAX } from "../../../schema/limits.ts";
import { applies } from "../../domain/alerts/applies.ts";
import type { ActiveRule, AlertEvent, AlertLine } from "../../domain/alerts/event.ts";
import type { Collected } from "../../domain/alerts/group.ts";
import { collect, nextSend, together } from "../../domain/alerts/group.ts";
import { messageOf } from "../../domain/alerts/message.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { JobReport } from "../../domain/job-order.ts";
import type { KnownRules } from "../../services/alerts/index.ts";
import { logWarning } from "../../services/log.ts";
import type { AlerterCollected } from "../../services/ports.ts";
import type { Prepared } from "../../services/notifications/index.ts";
import { earliest } from "../kit/earliest.ts";
import type { AlerterPorts } from "./ports.ts";
import type { AlerterTables, Group } from "./storage.ts";

const NOTHING: Group = { lastSentAt: null, collected: null };
/** How often room is looked for, for a receiver to which too many messages are on their way. */
const FULL_PAUSE_MS = 10_000;
const DETAIL_MAX_CHARS = 500;
const NO_LONGER_SENT_TO = "The rule no longer has this receiver.";
const RESTORED: Failure = {
  code: "restored",
  message: "The service was restored from a backup in which this was on its way. It is not known whether it was sent.",
};

/** Turns events into messages: by rule, collected, outside of quiet hours. Each event and each message is stored first. */
export class Notices {
  readonly #tables: AlerterTables;
  readonly #ports: AlerterPorts;
  readonly #send: (noticeIds: readonly string[]) => void;
  /** The rules and receivers as they were read last. */
  known: KnownRules;
  /** When a rule may send next, by its id: to be computed again from that time on, and after any change. */
  readonly #times = new Map<string, number>();

  constructor(tables: AlerterTables, ports: AlerterPorts, send: (noticeIds: readonly string[]) => void) {
    this.#tables = tables;
    this.#ports = ports;
    this.#send = send;
    this.known = tables.known();
  }

  get enabled(): readonly ActiveRule[] {
    return this.known.rules.filter(({ rule }) => rule.enabled);
  }

  /** Takes changed rules. What belongs to deleted ones is forgotten, and a rule that is off collects nothing. */
  follow(known: KnownRules): void {
    if (known.rules.length === 0 && this.known.rules.length === 0) return;
    this.known = known;
    this.#times.clear();
    this.#tables.setKnown(known);
    this.#tables.keepRules(new Set(known.rules.map(({ id }) => id)));
    for (const { id, rule } of known.rules) {
      const group = this.#tables.groups.get(id);
      const isWaiting = group !== undefined && (group.collected !== null || group.held !== undefined);
      if (!rule.enabled && isWaiting) {
        this.#tables.setGroup(id, { lastSentAt: group.lastSentAt, collected: null });
      }
    }
    this.#tables.writeGroups();
  }

  /** Stores what a number of reports changes at once, at the end of `work`, which awaits nothing. */
  together(work: () => void): void {
    try {
      work();
    } finally {
      this.#tables.writeGroups();
    }
  }

  /** Reports an event by every rule that it meets, unless it was noticed before. True for a new one. Needs `together`. */
  record(event: AlertEvent): boolean {
    if (!this.#tables.firstSeen(event.key, event.at)) return false;
    for (const active of this.enabled) {
      if (applies(active, event)) this.report(active, event.line);
    }
    return true;
  }

  /** Adds an event to what a rule reports. What waits already goes on waiting. Needs `together`. */
  report(active: ActiveRule, line: AlertLine): void {
    const group = this.#tables.groups.get(active.id) ?? NOTHING;
    this.#tables.setGroup(active.id, { ...group, collected: collect(group.collected, line) });
    const mayBeSent = group.collected === null && active.rule.receivers.some((id) => this.#hasRoom(id));
    if (mayBeSent) this.#sendCollected(active);
  }

  /** Sends the collected events whose time has come. */
  sendDue(): void {
    this.together(() => {
      for (const active of this.enabled) this.#sendCollected(active);
    });
  }

  /** When collected events are next to be sent (epoch ms); null without any. */
  dueAt(): number | null {
    return earliest(this.enabled.map((active) => this.#sendAt(active)));
  }

  /** What a rule has collected: the most that one of its receivers gets. Null for nothing. */
  collectedOf(ruleId: string): AlerterCollected | null {
    const active = this.enabled.find(({ id }) => id === ruleId);
    const sendAt = active === undefined ? null : this.#sendAt(active);
    if (active === undefined || sendAt === null) return null;
    const { lastSentAt, collected, held } = this.#tables.groups.get(ruleId) ?? NOTHING;
    const [most] = active.rule.receivers
      .flatMap((receiverId) => together(held?.[receiverId], collected) ?? [])
      .toSorted((a, b) => b.count - a.count);
    if (most === undefined) return null;
    const { at, isQuiet } = nextSend(active.rule, lastSentAt, this.#ports.now());
    const waitsFor = isQuiet ? "quiet_hours" : sendAt > at ? "receivers" : "grouping";
    return { count: most.count, subjects: most.lines.map(({ subject }) => subject), sendAt, waitsFor };
  }

  /** The next attempt of a notice, to its receiver as that is now. */
  async prepare(noticeId: string): Promise<Prepared<ReceiverType>> {
    const notice = this.#tables.noticeOf(noticeId);
    if (notice === null) return cancelled("The rule was deleted.");
    const active = this.known.rules.find(({ id }) => id === notice.ruleId);
    if (active?.rule.enabled === false) return cancelled("The rule was switched off.");
    if (active?.rule.receivers.includes(notice.receiverId) === false) return cancelled(NO_LONGER_SENT_TO);
    const receiver = this.known.receivers.find(({ id }) => id === notice.receiverId);
    if (receiver === undefined) return cancelled("The receiver was deleted.");
    const { id, at, message } = notice;
    return this.#ports.prepare(receiver, { id, at, ...message }, this.known.channels);
  }

  /** Records how a notice ended. A repeated report changes nothing. */
  ended({ jobId, status, error }: Pick<JobReport, "jobId" | "status" | "error">): void {
    const notice = this.#tables.noticeOf(jobId);
    if (notice === null || notice.result !== "sending") return;
    const result = status === "succeeded" ? "sent" : "failed";
    const detail = result === "sent" ? null : (error?.message ?? "It was not sent.").slice(0, DETAIL_MAX_CHARS);
    this.#tables.addNotice({ ...notice, result, detail });
    this.#tables.count({ on: notice.on, result });
    if (result === "sent") return;
    const { ruleId, receiverId, on } = notice;
    logWarning("a notice could not be delivered", { noticeId: jobId, ruleId, receiverId, on, code: error?.code });
  }

  /** Ends notices that count as on their way and that no sender has: a restore empties the senders. */
  endLost(isSending: (noticeId: string) => boolean): void {
    for (const jobId of this.#tables.outcomes.sendingIds()) {
      if (!isSending(jobId)) this.ended({ jobId, status: "failed", error: RESTORED });
    }
  }

  #sendAt({ id, rule }: ActiveRule): number | null {
    const { lastSentAt, collected, held } = this.#tables.groups.get(id) ?? NOTHING;
    if (collected === null && held === undefined) return null;
    const now = this.#ports.now();
    let at = this.#times.get(id) ?? now;
    if (at <= now) {
      ({ at } = nextSend(rule, lastSentAt, now));
      this.#times.set(id, at);
    }
    const isFull = collected === null && !Object.keys(held ?? {}).some((receiverId) => this.#hasRoom(receiverId));
    return isFull ? Math.max(at, now + FULL_PAUSE_MS) : at;
  }

  /** A receiver without room gets its events later, together, and does not hold up the others. */
  #sendCollected(active: ActiveRule): void {
    const { id: ruleId, rule } = active;
    const now = this.#ports.now();
    const group = this.#tables.groups.get(ruleId) ?? NOTHING;
    const at = this.#sendAt(active);
    if (at === null || at > now) return;
    const ids: string[] = [];
    const held: Record<string, Collected> = {};
    for (const receiverId of rule.receivers) {
      const collected = together(group.held?.[receiverId], group.collected);
      if (collected === null) continue;
      if (this.#hasRoom(receiverId)) ids.push(this.#add(active, receiverId, collected));
      else held[receiverId] = collected;
    }
    const isHeld = Object.keys(held).length > 0;
    const lastSentAt = ids.length > 0 ? now : group.lastSentAt;
    this.#tables.setGroup(ruleId, { lastSentAt, collected: null, ...(isHeld ? { held } : {}) });
    this.#times.delete(ruleId);
    this.#send(ids);
  }

  #add({ id: ruleId, rule: { name, on } }: ActiveRule, receiverId: string, collected: Collected): string {
    const id = this.#ports.newNoticeId();
    const { count } = collected;
    const message = messageOf(name, collected, this.#ports.origin);
    const at = this.#ports.now();
    this.#tables.addNotice({ id, ruleId, on, receiverId, at, count, message, result: "sending", detail: null });
    return id;
  }

  #hasRoom(receiverId: string): boolean {
    return this.#tables.outcomes.sendingTo(receiverId) < NOTICES_WAITING_MAX;
  }
}

function cancelled(message: string): Prepared<ReceiverType> {
  return { ok: false, failure: { code: "cancelled", message } };
}
