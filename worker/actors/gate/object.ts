import { DurableObject } from "cloudflare:workers";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { Env } from "../../env.ts";
import { createDeps } from "../../services/deps.ts";
import type { DeliveryRefusal } from "../../../schema/contract/webhook-delivery.ts";
import type {
  Delivery,
  DeliveryFacts,
  GateAnswer,
  GateRequest,
  GateRpc,
  GateSettings,
  StartOrder,
  Verifiers,
} from "../../services/ports.ts";
import { writeBatch } from "../../store/database.ts";
import { addTotals } from "../../store/totals.ts";
import { GroupedCalls } from "../kit/grouped-calls.ts";
import { withTimeout } from "../kit/with-timeout.ts";
import type { DeliveryCounts } from "./deliveries.ts";
import { Gate } from "./gate.ts";

/** A start that hangs is repeated later, which does no harm. */
const START_LIMIT_MS = 30_000;
const COUNT_LIMIT_MS = 5_000;

/**
 * One object for each webhook key. It needs no libSQL: accepted events are durable in its own storage, and only the
 * counts for `/metrics` go there, when it can take them.
 */
export class WebhookGate extends DurableObject<Env> implements GateRpc {
  #gate!: Gate;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const { storage } = state;
    const deps = createDeps(env);
    const { objects } = deps;
    void state.blockConcurrencyWhile(async () => {
      const armedAt = await storage.getAlarm();
      const starts = new GroupedCalls((workflowId, orders: StartOrder[]) =>
        withTimeout(START_LIMIT_MS, "starting executions", objects.workflowRuns({ workflowId }).startAll(orders)),
      );
      const start = (order: StartOrder) => starts.call(order.workflowId, order);
      const count = (counts: DeliveryCounts) =>
        withTimeout(COUNT_LIMIT_MS, "counting deliveries", writeBatch(deps.db, addTotals(counts)));
      this.#gate = new Gate({ storage, armedAt, start, count, now: Date.now, random: Math.random });
    });
  }

  async accept(request: GateRequest): Promise<GateAnswer> {
    const answer = this.#gate.accept(request);
    // After this turn, so that the caller's answer leaves before the starts begin. An alarm is already set.
    if (answer.type === "accepted" && !answer.deduplicated) setTimeout(() => void this.startExecutions(), 0);
    return answer;
  }

  async verifiers(): Promise<Verifiers | null> {
    return this.#gate.verifiers();
  }

  async refused(_webhookKey: string, reason: DeliveryRefusal, facts: DeliveryFacts): Promise<void> {
    this.#gate.refused(reason, facts);
  }

  async deliveries(): Promise<readonly Delivery[]> {
    return this.#gate.deliveries;
  }

  async configure(webhookKey: string, settings: GateSettings): Promise<void> {
    this.#gate.configure(webhookKey, settings);
  }

  async executionEnded(executionId: string, status: ExecutionStatus): Promise<void> {
    this.#gate.executionEnded(executionId, status);
  }

  override alarm(): Promise<void> {
    return this.#gate.onAlarm(() => this.startExecutions());
  }

  /** Starts the accepted events. No caller waits for it. */
  protected startExecutions(): Promise<void> {
    return this.#gate.startExecutions();
  }
}
