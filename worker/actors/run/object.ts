import { DurableObject } from "cloudflare:workers";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { ChildReport, Decision } from "../../domain/execution-state.ts";
import type { JobOrder, JobReport } from "../../domain/job-order.ts";
import type { Env } from "../../env.ts";
import type { AuditRow } from "../../services/audit-record.ts";
import { createDeps } from "../../services/deps.ts";
import type { Deps } from "../../services/deps.ts";
import { logWarning, withLogFields } from "../../services/log.ts";
import type { WorkflowRunsRpc, StartOrder } from "../../services/ports.ts";
import { readWindowsNow } from "../../services/maintenance/index.ts";
import { Turns } from "../../store/turns.ts";
import { ObjectAlarm } from "../kit/alarm.ts";
import { earliest } from "../kit/earliest.ts";
import { GroupedCalls } from "../kit/grouped-calls.ts";
import { applyEvent } from "./apply-event.ts";
import type { Applied } from "./take-step.ts";
import type { RunEvent } from "./engine/types.ts";
import { nextInTurn } from "../../store/open-runs.ts";
import type { RunKey } from "../../store/open-runs.ts";
import { KeyTurns } from "./key-turns.ts";
import { collectEvents, toCollect } from "./collect-events.ts";
import type { Collectable } from "./collect-events.ts";
import { admit, enterAgain, wakeExecution } from "./wake-execution.ts";
import { publishEffects } from "./publish-effects.ts";
import { reportFailure } from "./report-failure.ts";
import { RunSlots } from "./slot.ts";
import type { RunSlot } from "./slot.ts";
import { startCollecting, startExecution } from "./start-execution.ts";
import { revisionOf } from "./storage.ts";
import { WakeTimes } from "./wake-times.ts";
import { failureMessage } from "../../store/errors.ts";
import { loadExecution } from "../../store/executions.ts";

const PUBLISH_AGAIN_MS = 10_000;
const FOLLOW_MS = 20_000;
/** Each execution is in memory. */
const WAKES_AT_ONCE = 100;
/** An alarm may make a limited number of requests. The next one, which rings at once, wakes the others. */
const WAKES_OF_ALARM_MAX = 500;
/** With up to 16 events each. The others wait in their gates, where they are safe, and cost nothing. */
const START_CALLS_AT_ONCE = 32;
/** Shorter than a gate waits for its call, with the time that the writes may take after it. */
const START_WAIT_MAX_MS = 10_000;
const START_MAX_MS = 30_000;

/** One for each isolate: the calls that start accepted events. They leave the room for writes to other work. */
const startTurns = new Turns({ size: () => START_CALLS_AT_ONCE, turnMaxMs: START_MAX_MS, now: Date.now });

/**
 * Serialises every change of an execution, for all executions of a workflow (docs/design/dispatch.md#runs). Its own
 * storage holds only the times at which delays, retries and approvals fall due; libSQL has the state.
 */
export class WorkflowRuns extends DurableObject<Env> implements WorkflowRunsRpc {
  readonly #deps: Deps;
  readonly #slots = new RunSlots();
  readonly #keyTurns = new KeyTurns();
  readonly #wakes: WakeTimes;
  readonly #alarm: ObjectAlarm;
  readonly #followers = new Followers();
  readonly #enqueues: GroupedCalls<JobOrder[], void>;
  /** By coalescing key. */
  readonly #collects: GroupedCalls<Collectable, string>;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#deps = createDeps(env);
    this.#enqueues = new GroupedCalls<JobOrder[], void>(async (poolObject, orders) => {
      await this.#deps.objects.dispatcher(poolObject).enqueue(orders.flat());
      return orders.map(() => ({ status: "fulfilled", value: undefined }));
    });
    this.#collects = new GroupedCalls<Collectable, string>(async (key, items) => {
      const executionIds = await collectEvents(this.#deps, key, items, {
        start: async (order, batch) => {
          await this.#step(order.executionId, (slot) => startCollecting(this.#deps, slot, order, batch));
        },
        close: async (executionId) => {
          await this.#step(executionId, (slot) => enterAgain(this.#deps, slot, executionId, this.#keyTurns));
        },
      });
      return executionIds.map((value) => ({ status: "fulfilled", value }));
    });
    this.#wakes = new WakeTimes(state.storage);
    // The stored alarm is not read: the next change sets the alarm to the earliest due time.
    this.#alarm = new ObjectAlarm(state.storage, { now: this.#deps.now, dueAt: () => this.#wakes.earliest }, null);
  }

  async start(order: StartOrder): Promise<{ executionId: string; status: ExecutionStatus }> {
    const collectable = await toCollect(this.#deps, order);
    if (collectable !== null) {
      return { executionId: await this.#collects.call(collectable.key, collectable.item), status: "running" };
    }
    const { applied, published } = await this.#step(order.executionId, (slot) =>
      startExecution(this.#deps, slot, order, this.#keyTurns),
    );
    await published;
    return { executionId: applied.stored.state.id, status: applied.stored.state.status };
  }

  async startAll(orders: StartOrder[]): Promise<PromiseSettledResult<{ status: ExecutionStatus }>[]> {
    const turn = await startTurns.enter(this.#deps.now() + START_WAIT_MAX_MS);
    if (turn === null) throw new Error("too many accepted events are being started");
    try {
      const results = await Promise.allSettled(orders.map((order) => this.start(order)));
      // A cause is lost on the way to the gate, which logs the error.
      return results.map((result) =>
        result.status === "fulfilled" ? result : { ...result, reason: new Error(failureMessage(result.reason)) },
      );
    } finally {
      startTurns.leave(turn);
    }
  }

  async jobFinished(executionId: string, report: JobReport): Promise<void> {
    await this.#apply(executionId, { type: "jobFinished", report });
  }

  async cancel(executionId: string, by: string, audit?: AuditRow): Promise<ExecutionStatus | null> {
    return (await this.#apply(executionId, { type: "cancelled", by }, audit))?.stored.state.status ?? null;
  }

  async decide(executionId: string, decision: Decision, audit: AuditRow): Promise<"decided" | "notWaiting" | null> {
    const applied = await this.#apply(executionId, { type: "decided", decision }, audit);
    if (applied === null) return null;
    return applied.tookEffect ? "decided" : "notWaiting";
  }

  /** Does not wait for the parent's effects to be published: the calling child may be one of them. */
  async childEnded(executionId: string, report: ChildReport): Promise<void> {
    await this.#step(executionId, (slot) => applyEvent(this.#deps, slot, executionId, { type: "childEnded", report }));
  }

  /** Does not wait for its effects to be published: the caller may be one of them. */
  async admitNext(key: RunKey): Promise<void> {
    const executionId = await nextInTurn(this.#deps.db, key);
    if (executionId === null) return;
    await this.#step(executionId, (slot) => admit(this.#deps, slot, executionId, key, this.#keyTurns));
  }

  /** Does not wait either: the newer execution publishes this call. */
  async supersede(executionId: string, by: string): Promise<void> {
    await this.#step(executionId, (slot) => applyEvent(this.#deps, slot, executionId, { type: "superseded", by }));
  }

  async wake(executionId: string): Promise<void> {
    const { published } = await this.#step(executionId, (slot) =>
      wakeExecution(this.#deps, slot, executionId, this.#keyTurns),
    );
    await published;
  }

  async reportFailure(executionId: string): Promise<void> {
    const stored = await loadExecution(this.#deps.db, executionId);
    if (stored !== null) await reportFailure(this.#deps, stored);
  }

  async release(executionIds: string[]): Promise<void> {
    for (const executionId of executionIds) {
      try {
        const { published } = await this.#step(executionId, (slot) =>
          enterAgain(this.#deps, slot, executionId, this.#keyTurns, { read: readWindowsNow, onlyMaintenance: true }),
        );
        await published;
      } catch (error) {
        const fields = { executionId, error: failureMessage(error) };
        logWarning("it could not be decided how a waiting execution begins; it is tried again in a minute", fields);
      }
    }
  }

  async begin(executionId: string, startedBy: string[], audit: AuditRow): Promise<ExecutionStatus | null> {
    const by = { startedBy, audit };
    const { applied, published } = await this.#step(executionId, (slot) =>
      enterAgain(this.#deps, slot, executionId, this.#keyTurns, { read: readWindowsNow, onlyMaintenance: true, by }),
    );
    await published;
    return applied?.stored.state.status ?? null;
  }

  async nextRevision(executionId: string, after: number): Promise<number | null> {
    const present = () => revisionOf(this.#deps, this.#slots.known(executionId), executionId);
    return this.#followers.next(executionId, after, present);
  }

  override alarm(): Promise<void> {
    return this.#alarm.ring(async () => {
      const failed = (executionId: string) => (error: unknown) =>
        logWarning("waking an execution failed; it is tried again", { executionId, error: failureMessage(error) });
      const due = this.#wakes.takeDue(this.#deps.now(), WAKES_OF_ALARM_MAX).values();
      const wakeNext = async () => {
        for (const id of due) await this.wake(id).catch(failed(id));
      };
      await Promise.all(Array.from({ length: WAKES_AT_ONCE }, wakeNext));
    });
  }

  /** Applies one event, and publishes its effects. */
  async #apply(executionId: string, event: RunEvent, audit?: AuditRow): Promise<Applied | null> {
    const { applied, published } = await this.#step(executionId, (slot) =>
      applyEvent(this.#deps, slot, executionId, event, audit),
    );
    await published;
    return applied;
  }

  /** Takes one step in its turn. `published` resolves when its effects are published, or left to the alarm. */
  async #step<A extends Applied | null>(
    executionId: string,
    take: (slot: RunSlot) => Promise<A>,
  ): Promise<{ applied: A; published: Promise<void> | undefined }> {
    return withLogFields({ executionId }, async () => {
      const slot = this.#slots.use(executionId);
      try {
        const applied = await slot.inTurn("step", async () => {
          const result = await take(slot);
          this.#wakeAt(executionId, result?.stored.state.wakeAt ?? null);
          return result;
        });
        if (applied === null) return { applied, published: undefined };
        this.#followers.changed(executionId, applied.stored.state.revision);
        return { applied, published: this.#publish(executionId, slot, applied) };
      } finally {
        this.#slots.release(executionId, slot);
      }
    });
  }

  /** A committed step has happened. When its effects cannot be published now, the alarm publishes them again. */
  async #publish(executionId: string, slot: RunSlot, applied: Applied): Promise<void> {
    try {
      await publishEffects(this.#deps, slot, applied, this.#enqueues);
    } catch (error) {
      logWarning("publishing the effects of a step failed; it is tried again", {
        executionId,
        error: failureMessage(error),
      });
      const { wakeAt } = (slot.current ?? applied.stored).state;
      this.#wakeAt(executionId, earliest([wakeAt, this.#deps.now() + PUBLISH_AGAIN_MS]));
    } finally {
      this.#slots.release(executionId, slot);
    }
  }

  #wakeAt(executionId: string, wakeAt: number | null): void {
    this.#wakes.set(executionId, wakeAt);
    this.#alarm.arm();
  }
}

/** The callers that follow executions. Each waits at most 20 s for the next revision of one execution. */
class Followers {
  readonly #waiting = new Map<string, Set<(revision: number) => void>>();

  /**
   * The revision once it is above `after`, or unchanged after 20 s; null when there is no such execution. `revisionOf`
   * reads the present revision.
   */
  async next(executionId: string, after: number, revisionOf: () => Promise<number | null>): Promise<number | null> {
    const waiters = this.#waiting.get(executionId) ?? new Set();
    this.#waiting.set(executionId, waiters);
    const { promise, resolve } = Promise.withResolvers<number>();
    const changed = (revision: number) => revision > after && resolve(revision);
    // Registered before the read, so that no change in between is missed.
    waiters.add(changed);
    const timer = setTimeout(() => resolve(after), FOLLOW_MS);
    try {
      const present = await revisionOf();
      return present === null || present > after ? present : await promise;
    } finally {
      clearTimeout(timer);
      waiters.delete(changed);
      if (waiters.size === 0) this.#waiting.delete(executionId);
    }
  }

  changed(executionId: string, revision: number): void {
    for (const waiter of this.#waiting.get(executionId) ?? []) waiter(revision);
  }
}
