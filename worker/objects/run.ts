import { DurableObject } from "cloudflare:workers";
import type { ExecutionStatus } from "../../schema/contract/execution.ts";
import { isTerminalExecution } from "../../schema/contract/execution.ts";
import type { JobReport, RunEvent } from "../domain/run-types.ts";
import type { Env } from "../env.ts";
import { createDeps } from "../services/deps.ts";
import type { Deps } from "../services/deps.ts";
import type { ChildReport, Decision, RunRpc, StartOrder } from "../services/ports.ts";
import { applyEvent } from "../services/run/apply-event.ts";
import type { Applied } from "../services/run/apply-event.ts";
import { RunSlot } from "../services/run/slot.ts";
import { startExecution } from "../services/run/start-execution.ts";
import { tellEffects } from "../services/run/tell-effects.ts";
import { logWarning } from "../services/log.ts";
import { WakeList } from "./wake-list.ts";

/** Executions kept in memory between their steps; what is over is read again when it is needed. */
const MAX_IDLE_SLOTS = 500;

/**
 * Serialises every change of a workflow's executions, each by itself (design 3). It keeps no storage of its own but
 * the times at which delays, retries and approvals fall due: the truth is libSQL's.
 */
export class Run extends DurableObject<Env> implements RunRpc {
  readonly #deps: Deps;
  readonly #slots = new Map<string, RunSlot>();
  readonly #wakes: WakeList;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#deps = createDeps(env);
    this.#wakes = new WakeList(state.storage);
  }

  async start(order: StartOrder): Promise<{ executionId: string; status: ExecutionStatus }> {
    const { stored } = await this.#inSlot(order.executionId, (slot) => startExecution(this.#deps, slot, order));
    return { executionId: stored.state.id, status: stored.state.status };
  }

  async jobFinished(executionId: string, report: JobReport): Promise<void> {
    await this.#apply(executionId, { type: "jobFinished", report });
  }

  async cancel(executionId: string, by: string): Promise<ExecutionStatus | null> {
    return (await this.#apply(executionId, { type: "cancelled", by }))?.stored.state.status ?? null;
  }

  async decide(_executionId: string, _decision: Decision): Promise<"decided" | "notWaiting" | null> {
    throw new Error("not there yet");
  }

  async childEnded(_executionId: string, _report: ChildReport): Promise<void> {
    throw new Error("not there yet");
  }

  async nextRevision(executionId: string, after: number): Promise<number | null> {
    const stored = await this.#apply(executionId, { type: "woken" });
    return stored === null ? null : Math.max(after, stored.stored.state.revision);
  }

  async wake(executionId: string): Promise<void> {
    await this.#apply(executionId, { type: "woken" });
  }

  /** Never throws: the platform drops an alarm after six failures (design 3, "Alarms"). */
  override async alarm(): Promise<void> {
    const now = this.#deps.now();
    this.#wakes.rang();
    // Before the work: whatever ends it half-way, there is another alarm.
    await this.#wakes.arm(now);
    await Promise.all(this.#wakes.due(now).map((executionId) => this.#wakeQuietly(executionId)));
    await this.#wakes.arm(now);
  }

  async #wakeQuietly(executionId: string): Promise<void> {
    try {
      const applied = await this.#apply(executionId, { type: "woken" });
      if (applied === null) await this.#wakes.set(executionId, null);
    } catch (error) {
      logWarning("waking an execution failed; it is tried again", { executionId, error: String(error) });
    }
  }

  async #apply(executionId: string, event: RunEvent): Promise<Applied | null> {
    return this.#inSlot(executionId, (slot) => applyEvent(this.#deps, slot, executionId, event));
  }

  async #inSlot<A extends Applied | null>(executionId: string, work: (slot: RunSlot) => Promise<A>): Promise<A> {
    const slot = this.#slots.get(executionId) ?? new RunSlot();
    // Put in anew, so that the map's order is that of use.
    this.#slots.delete(executionId);
    this.#slots.set(executionId, slot);
    try {
      const applied = await slot.step(async () => {
        const result = await work(slot);
        if (result !== null) await this.#wakes.set(executionId, result.stored.state.wakeAt);
        return result;
      });
      if (applied !== null) await tellEffects(this.#deps, slot, applied.stored, applied.effects);
      return applied;
    } finally {
      const ended = slot.current === null || isTerminalExecution(slot.current.state.status);
      if (slot.idle && slot.told && ended) this.#slots.delete(executionId);
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    if (this.#slots.size <= MAX_IDLE_SLOTS) return;
    for (const [executionId, slot] of this.#slots) {
      if (slot.idle) this.#slots.delete(executionId);
      if (this.#slots.size <= MAX_IDLE_SLOTS) return;
    }
  }
}
