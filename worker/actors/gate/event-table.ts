import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import { isWithinDedupeWindow } from "../../domain/dedupe.ts";
import { earliest } from "../kit/earliest.ts";
import { GATE_RECHECK_MS } from "./next-alarm.ts";
import type { GateInbox, InboxEvent, InboxOrder } from "./storage.ts";

/**
 * The accepted events in memory, backed by the inbox: those inside their deduplication window, and older ones that have
 * not started. Acceptances and ends are written immediately. Starts are written in batches, because a repeated start
 * does no harm.
 */
export class EventTable {
  readonly #inbox: GateInbox;
  readonly #byExecution = new Map<string, InboxEvent>();
  readonly #byDedupeKey = new Map<string, InboxEvent>();
  readonly #unsavedStarts = new Set<number>();
  /** When the execution was last reported as running. After a restart, the time of acceptance is used instead. */
  readonly #askedAt = new Map<number, number>();
  #nextSeq = 1;

  constructor(inbox: GateInbox) {
    this.#inbox = inbox;
  }

  load(): InboxEvent[] {
    const events = this.#inbox.loadEvents();
    for (const event of events) this.#remember(event);
    return events;
  }

  add(accepted: Pick<InboxEvent, "executionId" | "dedupeKey" | "acceptedAt">, order: InboxOrder): InboxEvent {
    const event: InboxEvent = { ...accepted, seq: this.#nextSeq, started: false, status: "running" };
    this.#inbox.insertEvent(event, order);
    this.#remember(event);
    return event;
  }

  find(executionId: string): InboxEvent | null {
    return this.#byExecution.get(executionId) ?? null;
  }

  duplicateOf(dedupeKey: string, now: number): InboxEvent | null {
    const event = this.#byDedupeKey.get(dedupeKey);
    return event !== undefined && isWithinDedupeWindow(event.acceptedAt, now) ? event : null;
  }

  markStarted(event: InboxEvent, now: number): void {
    event.started = true;
    if (!this.#byExecution.has(event.executionId)) return;
    this.#unsavedStarts.add(event.seq);
    this.#askedAt.set(event.seq, now);
  }

  markEnded(event: InboxEvent, status: ExecutionStatus): void {
    this.#inbox.saveEnded(event.seq, status);
    event.started = true;
    event.status = status;
    this.#unsavedStarts.delete(event.seq);
  }

  get hasUnsavedStarts(): boolean {
    return this.#unsavedStarts.size > 0;
  }

  saveStarts(): void {
    if (this.#unsavedStarts.size === 0) return;
    this.#inbox.saveStarted([...this.#unsavedStarts]);
    this.#unsavedStarts.clear();
  }

  /** Drops started events that are out of their window. */
  prune(now: number): void {
    const done = [...this.#byExecution.values()].filter(
      (event) => event.started && !isWithinDedupeWindow(event.acceptedAt, now),
    );
    if (done.length === 0) return;
    this.#inbox.deleteEvents(done.map((event) => event.seq));
    for (const event of done) this.#drop(event);
  }

  newestStartedAt(): number | null {
    let newest: number | null = null;
    for (const event of this.#byExecution.values()) {
      if (event.started) newest = Math.max(event.acceptedAt, newest ?? event.acceptedAt);
    }
    return newest;
  }

  /**
   * Executions inside their window that run for long, or whose end was not reported. Returns at most `max` and records
   * them as asked.
   */
  takeRechecks(now: number, max: number): InboxEvent[] {
    const due = this.#running(now).filter((event) => this.#recheckAt(event) <= now);
    const taken = due.slice(0, max);
    for (const event of taken) this.#askedAt.set(event.seq, now);
    return taken;
  }

  nextRecheckAt(now: number): number | null {
    return earliest(this.#running(now).map((event) => this.#recheckAt(event)));
  }

  #running(now: number): InboxEvent[] {
    return [...this.#byExecution.values()].filter(
      (event) => event.started && !isTerminalExecution(event.status) && isWithinDedupeWindow(event.acceptedAt, now),
    );
  }

  #recheckAt(event: InboxEvent): number {
    return (this.#askedAt.get(event.seq) ?? event.acceptedAt) + GATE_RECHECK_MS;
  }

  #remember(event: InboxEvent): void {
    this.#byExecution.set(event.executionId, event);
    this.#byDedupeKey.set(event.dedupeKey, event);
    this.#nextSeq = Math.max(this.#nextSeq, event.seq + 1);
  }

  #drop(event: InboxEvent): void {
    this.#byExecution.delete(event.executionId);
    this.#askedAt.delete(event.seq);
    this.#unsavedStarts.delete(event.seq);
    // A newer event may have taken over the key.
    if (this.#byDedupeKey.get(event.dedupeKey) === event) this.#byDedupeKey.delete(event.dedupeKey);
  }
}
