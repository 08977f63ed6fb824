import type { DeliveryRefusal } from "../../../schema/contract/webhook-delivery.ts";
import { WEBHOOK_DELIVERIES_KEPT } from "../../../schema/limits.ts";
import type { Delivery, DeliveryFacts, GateAnswer } from "../../services/ports.ts";

const ONCE = { reason: null, detail: null, count: 1 } as const;

/**
 * The last deliveries of a webhook, in memory, and written with other work of the alarm: a flood costs one write for
 * each alarm. Refusals for the same reason are one entry, so a flood of them leaves the others in the list.
 */
export class Deliveries {
  #latest: readonly Delivery[];
  #isUnsaved = false;

  constructor(latest: readonly Delivery[]) {
    this.#latest = latest;
  }

  /** Newest first. */
  get latest(): readonly Delivery[] {
    return this.#latest;
  }

  get isUnsaved(): boolean {
    return this.#isUnsaved;
  }

  note(facts: DeliveryFacts, answer: GateAnswer, at: number): void {
    switch (answer.type) {
      case "accepted": {
        const { executionId, deduplicated, readsBody } = answer;
        const result = deduplicated ? "repeated" : "started";
        const ignoredFields = readsBody ? [] : facts.ignoredFields;
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
    this.#add({ ...facts, at, result: "refused", reason, detail, executionId: null, count }, others);
  }

  markSaved(): void {
    this.#isUnsaved = false;
  }

  #add(delivery: Delivery, others: readonly Delivery[]): void {
    this.#latest = [delivery, ...others].slice(0, WEBHOOK_DELIVERIES_KEPT);
    this.#isUnsaved = true;
  }
}
