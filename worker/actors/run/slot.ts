import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { StoredExecution } from "../../store/executions.ts";
import { outputBytes } from "./engine/output-limits.ts";

/** Executions kept in memory between their steps; one that is over is read again when it is needed. */
const MAX_IDLE_SLOTS = 500;
/** An object has 128 MB, and a text may take two bytes a character. */
const MAX_IDLE_BYTES = 24 * 1_024 * 1_024;

/**
 * One execution's place in its object: what was last committed, kept between steps, and two turns. Steps take the
 * first, one after the other, also across awaits. Their effects are published in the second, in the order of the commits:
 * a cancel must not overtake the job that it cancels. No step waits for a publication (docs/design/dispatch.md#runs).
 */
export class RunSlot {
  /** Bytes of outputs that it keeps in memory. */
  heldBytes = 0;
  /** False while effects that were committed may not have been published: after a restart, and after a failed call. */
  published = true;
  readonly #turns = { step: Promise.resolve<unknown>(null), publish: Promise.resolve<unknown>(null) };
  #inUse = 0;
  #current: StoredExecution | null = null;

  /** Null until it was read or written; also after an outcome that is not known. */
  get current(): StoredExecution | null {
    return this.#current;
  }

  set current(stored: StoredExecution | null) {
    this.#current = stored;
    this.heldBytes = stored === null ? 0 : outputBytes(stored.state.nodeRuns);
  }

  get idle(): boolean {
    return this.#inUse === 0;
  }

  /** Whether it holds nothing that the database does not: it is not in use, and its execution has ended and published all. */
  get spent(): boolean {
    const hasEnded = this.#current === null || isTerminalExecution(this.#current.state.status);
    return this.idle && this.published && hasEnded;
  }

  /** Runs `work` once all earlier work of this turn has ended; a failure is its caller's, and stops no other work. */
  async inTurn<T>(turn: "step" | "publish", work: () => Promise<T>): Promise<T> {
    this.#inUse += 1;
    const done = this.#turns[turn].then(work, work);
    this.#turns[turn] = done;
    try {
      return await done;
    } finally {
      this.#inUse -= 1;
    }
  }
}

/** The slots of an object's executions, in the order of use. */
export class RunSlots {
  readonly #slots = new Map<string, RunSlot>();

  /** What is known of an execution without reading it. */
  known(executionId: string): StoredExecution | null {
    return this.#slots.get(executionId)?.current ?? null;
  }

  use(executionId: string): RunSlot {
    const slot = this.#slots.get(executionId) ?? new RunSlot();
    this.#slots.delete(executionId);
    this.#slots.set(executionId, slot);
    return slot;
  }

  /** Forgets a slot that is spent, and the idle ones that were used least recently when there are too many. */
  release(executionId: string, slot: RunSlot): void {
    if (slot.spent && this.#slots.get(executionId) === slot) this.#slots.delete(executionId);
    let held = 0;
    for (const { heldBytes } of this.#slots.values()) held += heldBytes;
    for (const [id, each] of this.#slots) {
      if (this.#slots.size <= MAX_IDLE_SLOTS && held <= MAX_IDLE_BYTES) return;
      if (!each.idle) continue;
      held -= each.heldBytes;
      this.#slots.delete(id);
    }
  }
}
