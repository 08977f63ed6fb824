import type { NoticeResult } from "../../../schema/contract/notification-rule.ts";

export interface NoticeOutcome {
  readonly id: string;
  readonly ruleId: string;
  readonly receiverId: string;
  readonly at: number;
  readonly result: NoticeResult;
  readonly detail: string | null;
}

/**
 * Notices that are on their way, and how the newest one to each receiver of a rule ended: in memory, because lists of
 * rules and metrics ask often, and notices are large.
 */
export class Outcomes {
  readonly #sending = new Map<string, NoticeOutcome>();
  readonly #sendingTo = new Map<string, number>();
  /** By rule and receiver. */
  readonly #ended = new Map<string, Map<string, NoticeOutcome>>();

  /** A new notice, or its end. */
  note({ id, ruleId, receiverId, at, result, detail }: NoticeOutcome): void {
    const outcome = { id, ruleId, receiverId, at, result, detail };
    this.#forgetSending(id);
    if (result === "sending") {
      this.#sending.set(id, outcome);
      this.#sendingTo.set(receiverId, this.sendingTo(receiverId) + 1);
      return;
    }
    const ended = this.#ended.get(ruleId) ?? new Map<string, NoticeOutcome>();
    this.#ended.set(ruleId, ended);
    // Ids rise with time.
    if (id >= (ended.get(receiverId)?.id ?? "")) ended.set(receiverId, outcome);
  }

  keepRules(ruleIds: ReadonlySet<string>): void {
    for (const [id, { ruleId }] of this.#sending) if (!ruleIds.has(ruleId)) this.#forgetSending(id);
    for (const ruleId of this.#ended.keys()) if (!ruleIds.has(ruleId)) this.#ended.delete(ruleId);
  }

  /** How many notices are on their way to a receiver. */
  sendingTo(receiverId: string): number {
    return this.#sendingTo.get(receiverId) ?? 0;
  }

  /** The receiver of a notice that is on its way. */
  receiverOf(noticeId: string): string | null {
    return this.#sending.get(noticeId)?.receiverId ?? null;
  }

  sendingIds(): string[] {
    return [...this.#sending.keys()];
  }

  /** By rule, the newest first. */
  byRule(): ReadonlyMap<string, NoticeOutcome[]> {
    const ended = [...this.#ended.values()].flatMap((ofRule) => [...ofRule.values()]);
    const all = [...ended, ...this.#sending.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    return Map.groupBy(all, ({ ruleId }) => ruleId);
  }

  #forgetSending(id: string): void {
    const receiverId = this.receiverOf(id);
    if (receiverId === null) return;
    this.#sending.delete(id);
    this.#sendingTo.set(receiverId, this.sendingTo(receiverId) - 1);
  }
}
