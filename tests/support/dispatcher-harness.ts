import "./quiet-log.ts";
import { Database } from "bun:sqlite";
import type { JobResult } from "../../schema/contract/agent.ts";
import type { Role } from "../../schema/contract/people.ts";
import type { HeldCredentials } from "../../worker/domain/credential/judge-told.ts";
import { targetMismatch } from "../../worker/domain/credential/usable.ts";
import type { JobConnection } from "../../worker/actors/dispatcher/rules/job-connection.ts";
import type { JobFacts } from "../../worker/actors/dispatcher/rules/job.ts";
import type { JobOrder, JobReport } from "../../worker/domain/job-order.ts";
import { DispatcherRuntime } from "../../worker/actors/dispatcher/runtime.ts";
import type { CredentialSync } from "../../worker/actors/dispatcher/events.ts";
import type { DispatcherPorts } from "../../worker/actors/dispatcher/ports.ts";
import type { DispatcherState } from "../../worker/actors/dispatcher/state/state.ts";
import { POOL, connection, order } from "./job-orders.ts";

export { AgentProbe, refOf } from "./agent-probe.ts";
export { POOL, connection, order };
const MAX_RINGS = 10_000;

/**
 * A dispatcher on a real SQLite database, with a clock and an alarm that the test moves, and with what lies around it held in
 * plain lists.
 */
export class DispatcherHarness {
  now = Date.UTC(2026, 0, 5, 12);
  alarmAt: number | null = null;
  /** How often the alarm rang. */
  rings = 0;
  /** How often it was set; each time is a row. */
  alarmsSet = 0;
  databaseDown = false;
  /** How much time passes with everything that goes over the network. */
  callsTakeMs = 0;
  readonly connections = new Map<string, JobConnection>();
  connectionReads = 0;
  /** The roles that people have now. */
  readonly roles = new Map<string, Role>();
  roleReads = 0;
  /** What credentialSync jobs bring, by job. */
  readonly syncs = new Map<string, CredentialSync>();
  /** The credentials that agents reported, as they were passed on. */
  readonly recorded: { agentId: string; credentials: [string, number][] }[] = [];
  readonly ends: { facts: JobFacts; report: JobReport }[] = [];
  /** The ends of jobs that are to be ordered in another pool. */
  readonly rerouted: JobReport[] = [];
  /** Also takes the ends: see `OrderingRuns`. */
  run: { take(report: JobReport): Promise<void> } | null = null;
  readonly stale: { agentId: string; result: JobResult }[] = [];
  /** The agents that were asked to poll, in turn. */
  readonly woken: string[] = [];
  /** Those that have a wake socket, with when they were heard through it (epoch ms). */
  readonly sockets = new Map<string, number>();
  readonly heartbeats: { agentId: string; lastHeartbeatAt: number }[][] = [];
  /** When set, recording the credentials that an agent reported waits for it. */
  recordGate: Promise<void> | null = null;
  /** When set, reporting an end waits for it. */
  gate: Promise<void> | null = null;
  /** Rows written so far. */
  readonly database = new Database(":memory:");
  dispatcher: DispatcherRuntime;
  /** When true, the object is put to sleep after 10 s without a call, as the platform does, and wakes as a new one. */
  sleeps = false;
  #calledAt = 0;
  #leases = 0;
  #work: Promise<unknown>[] = [];

  constructor() {
    this.connections.set("con_1", connection("con_1"));
    this.dispatcher = this.#open();
  }

  get written(): number {
    const row = this.database.query<{ n: number }, []>("SELECT total_changes() AS n").get();
    return row?.n ?? 0;
  }

  /** The object ends without a word and comes back on the same storage. */
  restart(): void {
    this.dispatcher = this.#open();
  }

  /** The dispatcher is about to be called. */
  called(): void {
    if (this.sleeps && this.now - this.#calledAt >= 10_000) this.restart();
    this.#calledAt = this.now;
  }

  enqueue(...orders: JobOrder[]): void {
    this.called();
    this.dispatcher.enqueue(orders);
  }

  get state(): DispatcherState {
    return this.dispatcher.state;
  }

  /** The connections of jobs that wait are read now. */
  async reviewNow(): Promise<void> {
    this.state.timers.reviewAt = this.now;
    await this.ring();
  }

  /** Lets time pass, ringing the alarm whenever it is due. */
  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    const ringsBefore = this.rings;
    while (this.alarmAt !== null && this.alarmAt <= until) {
      this.now = Math.max(this.now, this.alarmAt);
      await this.ring();
      if (this.rings - ringsBefore > MAX_RINGS) throw new Error("the alarm rings again and again");
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

  /** Waits for what nobody waits for. */
  async settled(): Promise<void> {
    while (this.#work.length > 0) await Promise.all(this.#work.splice(0));
  }

  /** As libSQL would judge it by the connections of this harness. */
  unusableAmong(agentId: string, reported: HeldCredentials): string[] {
    return [...reported].flatMap(([id, held]) => {
      const wanted = this.connections.get(id)?.wanted?.(agentId);
      return wanted === undefined || targetMismatch(held, wanted) === null ? [] : [id];
    });
  }

  end(jobId: string): JobReport | undefined {
    return this.ends.find(({ facts }) => facts.jobId === jobId)?.report;
  }

  #open(): DispatcherRuntime {
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
    return new DispatcherRuntime({
      storage,
      ports: this.#ports(),
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

  #ports(): DispatcherPorts {
    const reach = async () => {
      await Promise.resolve();
      this.now += this.callsTakeMs;
      if (this.databaseDown) throw new Error("the database does not answer");
    };
    return {
      now: () => this.now,
      idlePollSeconds: 60,
      newLease: () => `lease${++this.#leases}`,
      readConnections: async (ids) => {
        await reach();
        this.connectionReads += 1;
        return new Map([...this.connections].filter(([id]) => ids.includes(id)));
      },
      readRoles: async (people) => {
        await reach();
        this.roleReads += 1;
        return new Map([...this.roles].filter(([person]) => people.includes(person)));
      },
      readSyncs: async (jobIds) => {
        await reach();
        return new Map([...this.syncs].filter(([id]) => jobIds.includes(id)));
      },
      recordCredentials: async (agentId, reported) => {
        await this.recordGate;
        await reach();
        this.recorded.push({ agentId, credentials: [...reported].map(([id, { version }]) => [id, version]) });
        return { orders: [], unusable: this.unusableAmong(agentId, reported) };
      },
      reportEnd: async (facts, report) => {
        await this.gate;
        await reach();
        await this.run?.take(report);
        if (report.reroute === undefined) this.ends.push({ facts, report });
        else this.rerouted.push(report);
      },
      recordStaleResult: async (agentId, result) => {
        await reach();
        this.stale.push({ agentId, result });
      },
      recordHeartbeats: async (heartbeats) => {
        await reach();
        this.heartbeats.push([...heartbeats]);
      },
    };
  }
}
