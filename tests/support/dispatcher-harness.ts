import "./quiet-log.ts";
import { Database } from "bun:sqlite";
import type { JobOrder } from "../../worker/domain/job-order.ts";
import type { DispatcherPorts } from "../../worker/actors/dispatcher/ports.ts";
import type { DispatcherState } from "../../worker/actors/dispatcher/state/state.ts";
import { CalledDispatcher } from "./called-dispatcher.ts";
import { DispatcherSurroundings } from "./dispatcher-surroundings.ts";
import { POOL, connection, order } from "./job-orders.ts";

export { AgentProbe, refOf } from "./agent-probe.ts";
export { POOL, connection, order };
const MAX_RINGS = 10_000;

/**
 * A dispatcher on a real SQLite database. The test moves its clock and alarm, and its surroundings are plain lists
 * (`DispatcherSurroundings`).
 */
export class DispatcherHarness extends DispatcherSurroundings {
  alarmAt: number | null = null;
  /** How often the alarm fired. */
  rings = 0;
  /** How often the alarm was set; each time counts as a row. */
  alarmsSet = 0;
  /** The agents that were asked to poll, in order. */
  readonly woken: string[] = [];
  /** The agents with a wake socket, with the time of their last message over it (epoch ms). */
  readonly sockets = new Map<string, number>();
  /** Rows written so far. */
  readonly database = new Database(":memory:");
  dispatcher: CalledDispatcher;
  /** When true, the object sleeps after 10 s without a call, as on the platform, and wakes as a new instance. */
  sleeps = false;
  #calledAt = 0;
  #work: Promise<unknown>[] = [];

  constructor() {
    super();
    this.connections.set("con_1", connection("con_1"));
    this.dispatcher = this.#open();
  }

  get written(): number {
    const row = this.database.query<{ n: number }, []>("SELECT total_changes() AS n").get();
    return row?.n ?? 0;
  }

  /** The object ends without notice and restarts on the same storage. */
  restart(): void {
    this.dispatcher = this.#open();
  }

  /** Announces a call of the dispatcher. */
  called(): void {
    if (this.sleeps && this.now - this.#calledAt >= 10_000) this.restart();
    this.#calledAt = this.now;
  }

  enqueue(...orders: JobOrder[]): void {
    this.called();
    for (const { jobId } of orders) this.jobs.add(jobId);
    this.dispatcher.enqueue(orders);
  }

  /** The dispatcher restarts with other ports. */
  reopenedWith(ports: Partial<DispatcherPorts>): CalledDispatcher {
    return this.#open({ ...this.ports(), ...ports });
  }

  get state(): DispatcherState {
    return this.dispatcher.state;
  }

  /** Reads the connections of waiting jobs now. */
  async reviewNow(): Promise<void> {
    this.state.timers.reviewAt = this.now;
    await this.ring();
  }

  /** Lets time pass and fires the alarm whenever it is due. */
  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    const ringsBefore = this.rings;
    while (this.alarmAt !== null && this.alarmAt <= until) {
      this.now = Math.max(this.now, this.alarmAt);
      await this.ring();
      if (this.rings - ringsBefore > MAX_RINGS) throw new Error("the alarm rings without end");
    }
    this.now = until;
  }

  async ring(): Promise<void> {
    this.rings += 1;
    this.called();
    this.alarmAt = null;
    await this.dispatcher.alarm();
    await this.settled();
  }

  /** Waits for background work that no caller awaits. */
  async settled(): Promise<void> {
    while (this.#work.length > 0) await Promise.all(this.#work.splice(0));
  }

  #open(ports = this.ports()): CalledDispatcher {
    const storage = {
      sql: {
        exec: (query: string, ...bindings: (string | number | null)[]) => {
          const rows = this.database
            .query<Record<string, string | number | null>, (string | number | null)[]>(query)
            .all(...bindings);
          return { toArray: () => rows };
        },
      },
      transactionSync: <T>(work: () => T) => this.database.transaction(work)(),
      setAlarm: async (at: number) => {
        this.alarmAt = at;
        this.alarmsSet += 1;
      },
      deleteAlarm: async () => {
        this.alarmAt = null;
      },
    };
    const { sockets } = this;
    return new CalledDispatcher({
      storage,
      ports,
      sockets: {
        get size() {
          return sockets.size;
        },
        heardAt: (agentId) => this.sockets.get(agentId) ?? null,
        wake: (agentId) => this.woken.push(agentId),
        close: (agentId) => this.sockets.delete(agentId),
      },
      armedAt: this.alarmAt,
      background: (work) => {
        this.#work.push(work);
      },
      abort: () => {
        this.dispatcher = this.#open();
      },
    });
  }
}
