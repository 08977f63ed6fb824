import { DurableObject } from "cloudflare:workers";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ChildReport, Decision } from "../../domain/execution-state.ts";
import type { JobReport } from "../../domain/job-order.ts";
import type { RunEvent } from "./engine/types.ts";
import type { Env } from "../../env.ts";
import { createDeps } from "../../services/deps.ts";
import type { Deps } from "../../services/deps.ts";
import type { AuditRow } from "../../services/audit/record.ts";
import type { RunRpc, StartOrder } from "../../services/ports.ts";
import { tookEffect } from "./engine/step.ts";
import { applyEvent } from "./apply-event.ts";
import type { Applied } from "./apply-event.ts";
import { Followers } from "./followers.ts";
import { revisionOf } from "./revision-of.ts";
import { RunSlot } from "./slot.ts";
import { startExecution } from "./start-execution.ts";
import { publishEffects } from "./publish-effects.ts";
import { logWarning, withLogFields } from "../../services/log.ts";
import { WakeList } from "./wake-list.ts";

/** Executions kept in memory between their steps; what is over is read again when it is needed. */
const MAX_IDLE_SLOTS = 500;
/** An object has 128 MB, and a text may take two bytes a character. */
const MAX_IDLE_BYTES = 24 * 1_024 * 1_024;
const TELL_AGAIN_MS = 10_000;

/**
 * Serialises every change of a workflow's executions, each by itself (design 3). It keeps no storage of its own but
 * the times at which delays, retries and approvals fall due: the truth is libSQL's.
 */
export class Run extends DurableObject<Env> implements RunRpc {
  readonly #deps: Deps;
  readonly #slots = new Map<string, RunSlot>();
  readonly #wakes: WakeList;
  readonly #followers = new Followers();

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

  async cancel(executionId: string, by: string, audit?: AuditRow): Promise<ExecutionStatus | null> {
    return (await this.#apply(executionId, { type: "cancelled", by }, audit))?.stored.state.status ?? null;
  }

  async decide(executionId: string, decision: Decision, audit: AuditRow): Promise<"decided" | "notWaiting" | null> {
    const event: RunEvent = { type: "decided", decision };
    const applied = await this.#apply(executionId, event, audit);
    if (applied === null) return null;
    return applied.changed && tookEffect(event, applied.stored.state) ? "decided" : "notWaiting";
  }

  /** Does not wait until the parent has told what follows: the child that calls here may be part of that. */
  async childEnded(executionId: string, report: ChildReport): Promise<void> {
    const event: RunEvent = { type: "childEnded", report };
    const slot = this.#slotOf(executionId);
    const applied = await this.#step(executionId, slot, () => applyEvent(this.#deps, slot, executionId, event));
    if (applied !== null) void this.#tell(executionId, slot, applied);
  }

  async nextRevision(executionId: string, after: number): Promise<number | null> {
    return this.#followers.next(executionId, after, () =>
      revisionOf(this.#deps, this.#slots.get(executionId), executionId),
    );
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

  async #apply(executionId: string, event: RunEvent, audit?: AuditRow): Promise<Applied | null> {
    return this.#inSlot(executionId, (slot) => applyEvent(this.#deps, slot, executionId, event, audit));
  }

  async #inSlot<A extends Applied | null>(executionId: string, work: (slot: RunSlot) => Promise<A>): Promise<A> {
    return withLogFields({ executionId }, async () => {
      const slot = this.#slotOf(executionId);
      const applied = await this.#step(executionId, slot, () => work(slot));
      if (applied !== null) await this.#tell(executionId, slot, applied);
      return applied;
    });
  }

  #slotOf(executionId: string): RunSlot {
    const slot = this.#slots.get(executionId) ?? new RunSlot();
    // Put in anew, so that the map's order is that of use.
    this.#slots.delete(executionId);
    this.#slots.set(executionId, slot);
    return slot;
  }

  async #step<A extends Applied | null>(executionId: string, slot: RunSlot, work: () => Promise<A>): Promise<A> {
    try {
      const applied = await slot.step(async () => {
        const result = await work();
        if (result !== null) await this.#wakes.set(executionId, result.stored.state.wakeAt);
        return result;
      });
      if (applied?.changed === true) this.#followers.changed(executionId, applied.stored.state.revision);
      return applied;
    } finally {
      this.#forget(executionId, slot);
    }
  }

  /** What is committed has happened, whoever cannot be told of it now: then it is told again, by the alarm. */
  async #tell(executionId: string, slot: RunSlot, applied: Applied): Promise<void> {
    try {
      await publishEffects(this.#deps, slot, applied.stored, applied.effects);
    } catch (error) {
      logWarning("telling what follows a step failed; it is tried again", { executionId, error: String(error) });
      await this.#wakes.set(executionId, this.#deps.now() + TELL_AGAIN_MS);
    } finally {
      this.#forget(executionId, slot);
    }
  }

  /** A slot that nobody needs: what has ended, was told, and is not in use. */
  #forget(executionId: string, slot: RunSlot): void {
    const ended = slot.current === null || isTerminalExecution(slot.current.state.status);
    if (slot.idle && slot.told && ended && this.#slots.get(executionId) === slot) this.#slots.delete(executionId);
    this.#forgetOldest();
  }

  #forgetOldest(): void {
    let held = 0;
    for (const slot of this.#slots.values()) held += slot.heldBytes;
    for (const [executionId, slot] of this.#slots) {
      if (this.#slots.size <= MAX_IDLE_SLOTS && held <= MAX_IDLE_BYTES) return;
      if (!slot.idle) continue;
      held -= slot.heldBytes;
      this.#slots.delete(executionId);
    }
  }
}
