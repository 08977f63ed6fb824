import type { DeliveryRefusal } from "../../../schema/contract/webhook-delivery.ts";
import { WEBHOOK_DELIVERIES_KEPT } from "../../../schema/limits.ts";
import type { Delivery, DeliveryFacts, GateAnswer } from "../../services/ports.ts";
import { LineLimit } from "../../services/line-limit.ts";
import { logWarning } from "../../services/log.ts";
import type { DeliveryTotal } from "../../store/totals.ts";

export type DeliveryCounts = readonly (readonly [DeliveryTotal, number])[];

/** One for the isolate: a database that is away fails the counts of every gate. */
const warnings = new LineLimit({ perMinute: 10 });
const ONCE = { reason: null, detail: null, count: 1 } as const;

/**
 * The last deliveries of a webhook, in memory, and written with other work of the alarm: a flood costs one write for
 * each alarm. Refusals for the same reason are one entry, so a flood of them leaves the others in the list.
 */
export class Deliveries {
  #latest: readonly Delivery[];
  readonly #uncounted: Map<DeliveryTotal, number>;
  #isUnsaved = false;

  constructor(latest: readonly Delivery[], uncounted: DeliveryCounts) {
    this.#latest = latest;
    this.#uncounted = new Map(uncounted);
  }

  /** Newest first. */
  get latest(): readonly Delivery[] {
    return this.#latest;
  }

  get isUnsaved(): boolean {
    return this.#isUnsaved;
  }

  /** Deliveries that started nothing and that `/metrics` does not have yet. */
  get uncounted(): DeliveryCounts {
    return [...this.#uncounted];
  }

  /** Adds them to the totals. After a failure they wait for the next alarm; after a lost answer they may count twice. */
  async count(add: (counts: DeliveryCounts) => Promise<unknown>, now: number): Promise<void> {
    const counts = this.uncounted;
    if (counts.length === 0) return;
    this.#uncounted.clear();
    this.#isUnsaved = true;
    try {
      await add(counts);
    } catch (error) {
      for (const [name, value] of counts) this.#addUncounted(name, value);
      const message = "deliveries could not be counted; the next alarm tries again";
      const limited = warnings.admit(message, now);
      if (limited !== null) logWarning(message, { error: String(error), ...limited });
    }
  }

  note(facts: DeliveryFacts, answer: GateAnswer, at: number): void {
    switch (answer.type) {
      case "accepted": {
        const { executionId, deduplicated, readsBody } = answer;
        const result = deduplicated ? "repeated" : "started";
        const ignoredFields = readsBody ? [] : facts.ignoredFields;
        if (deduplicated) this.#addUncounted("deliveries:repeated", 1);
        return this.#add({ ...facts, ...ONCE, ignoredFields, at, result, executionId }, this.#latest);
      }
      case "check":
        return this.#add({ ...facts, ...ONCE, at, result: "answered", executionId: null }, this.#latest);
      case "wrongSecret":
        return this.refused(facts, at, "unauthorized");
      case "inactive":
        return this.refused(facts, at, "inactive");
      case "rateLimited":
        return this.refused(facts, at, "rate_limit_exceeded");
      case "badBody":
        return this.refused(facts, at, answer.problem.code, answer.problem.detail);
      // Nothing was decided yet, or there is no webhook.
      case "verifySecret":
      case "unknownKey":
        return undefined;
    }
  }

  refused(facts: DeliveryFacts, at: number, reason: DeliveryRefusal, detail: string | null = null): void {
    const before = this.#latest.find((delivery) => delivery.reason === reason);
    const count = (before?.count ?? 0) + 1;
    const others = this.#latest.filter((delivery) => delivery !== before);
    this.#addUncounted(`deliveries:${reason}`, 1);
    this.#add({ ...facts, at, result: "refused", reason, detail, executionId: null, count }, others);
  }

  markSaved(): void {
    this.#isUnsaved = false;
  }

  #addUncounted(name: DeliveryTotal, value: number): void {
    this.#uncounted.set(name, (this.#uncounted.get(name) ?? 0) + value);
  }

  #add(delivery: Delivery, others: readonly Delivery[]): void {
    this.#latest = [delivery, ...others].slice(0, WEBHOOK_DELIVERIES_KEPT);
    this.#isUnsaved = true;
  }
}
