import "./quiet-log.ts";
import { Database } from "bun:sqlite";
import type { Ack, Job, JobResult, JobsResponse, LeaseRef, PublicKey } from "../../schema/contract/agent.ts";
import type { JobConnection } from "../../worker/domain/job-connection.ts";
import type { JobFacts } from "../../worker/domain/job-lifecycle.ts";
import type { JobOrder, JobReport } from "../../worker/domain/run-types.ts";
import { enqueueJobs } from "../../worker/services/pool/enqueue.ts";
import { heartbeat } from "../../worker/services/pool/heartbeat.ts";
import { keepTime } from "../../worker/services/pool/keep-time.ts";
import { poll } from "../../worker/services/pool/poll.ts";
import { armPool, openPool } from "../../worker/services/pool/pool.ts";
import type { Pool } from "../../worker/services/pool/pool.ts";
import type { CredentialSync } from "../../worker/services/pool/pool-world.ts";
import type { PoolWorld } from "../../worker/services/pool/pool-world.ts";
import { register } from "../../worker/services/pool/register.ts";
import { takeResults } from "../../worker/services/pool/take-results.ts";
import { POOL, connection, order } from "./pool-orders.ts";
import type { AgentCaller, PoolRefusal } from "../../worker/services/ports.ts";

export { POOL, connection, order };
const MAX_RINGS = 10_000;

/**
 * A Pool on a real SQLite database, with a clock and an alarm that the test moves, and with what lies around it held in
 * plain lists.
 */
export class PoolHarness {
  now = Date.UTC(2026, 0, 5, 12);
  alarmAt: number | null = null;
  /** How often the alarm rang. */
  rings = 0;
  databaseDown = false;
  readonly connections = new Map<string, JobConnection>();
  connectionReads = 0;
  /** What credentialSync jobs bring, by job. */
  readonly syncs = new Map<string, CredentialSync>();
  /** What agents said they have, as it was passed on. */
  readonly told: { agentId: string; credentials: [string, number][] }[] = [];
  readonly ends: { facts: JobFacts; report: JobReport }[] = [];
  readonly forwarded: JobOrder[] = [];
  readonly cancelledElsewhere: { poolObject: string; jobIds: string[] }[] = [];
  readonly stale: { agentId: string; result: JobResult }[] = [];
  /** The agents that were told to poll, in turn. */
  readonly woken: string[] = [];
  /** Those that have a wake socket. */
  readonly sockets = new Set<string>();
  readonly heartbeats: { agentId: string; lastHeartbeatAt: number }[][] = [];
  /** When set, passing on what an agent said it has waits for it. */
  tellGate: Promise<void> | null = null;
  /** When set, telling an end waits for it. */
  gate: Promise<void> | null = null;
  /** Rows written so far. */
  readonly database = new Database(":memory:");
  pool: Pool;
  /** When true, the Pool is put to sleep after 10 s without a call, as the platform does, and wakes as a new one. */
  sleeps = false;
  #calledAt = 0;
  #leases = 0;
  #work: Promise<unknown>[] = [];

  constructor() {
    this.connections.set("con_1", connection("con_1"));
    this.pool = this.#open();
  }

  get written(): number {
    const row = this.database.query<{ n: number }, []>("SELECT total_changes() AS n").get();
    return row?.n ?? 0;
  }

  /** The object ends without a word and comes back on the same storage. */
  restart(): void {
    this.pool = this.#open();
  }

  /** The Pool is about to be called. */
  called(): void {
    if (this.sleeps && this.now - this.#calledAt >= 10_000) this.restart();
    this.#calledAt = this.now;
  }

  enqueue(...orders: JobOrder[]): void {
    this.called();
    enqueueJobs(this.pool, orders);
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
    await keepTime(this.pool);
    await this.settled();
  }

  /** Waits for what nobody waits for. */
  async settled(): Promise<void> {
    while (this.#work.length > 0) await Promise.all(this.#work.splice(0));
  }

  end(jobId: string): JobReport | undefined {
    return this.ends.find(({ facts }) => facts.jobId === jobId)?.report;
  }

  #open(): Pool {
    const storage = {
      sql: {
        exec: (query: string, ...bindings: (string | number | null)[]) => {
          const rows = this.database
            .query<Record<string, string | number | null>, (string | number | null)[]>(query)
            .all(...bindings);
          return { toArray: () => rows };
        },
      },
      setAlarm: async (at: number) => {
        this.alarmAt = at;
      },
      deleteAlarm: async () => {
        this.alarmAt = null;
      },
    };
    const pool = openPool(storage, this.#world(), {
      background: (work) => {
        this.#work.push(work);
      },
      wakers: {
        wake: (agentIds) => {
          this.woken.push(...agentIds);
          return agentIds.filter((agentId) => this.sockets.has(agentId));
        },
      },
    });
    armPool(pool, this.alarmAt);
    return pool;
  }

  #world(): PoolWorld {
    const reach = async () => {
      await Promise.resolve();
      if (this.databaseDown) throw new Error("the database does not answer");
    };
    return {
      now: () => this.now,
      newLease: () => `lease${++this.#leases}`,
      readConnections: async (ids) => {
        await reach();
        this.connectionReads += 1;
        return new Map([...this.connections].filter(([id]) => ids.includes(id)));
      },
      readSyncs: async (jobIds) => {
        await reach();
        return new Map([...this.syncs].filter(([id]) => jobIds.includes(id)));
      },
      tellCredentials: async (agentId, told) => {
        await this.tellGate;
        await reach();
        this.told.push({ agentId, credentials: [...told] });
        return [];
      },
      tellEnd: async (facts, report) => {
        await this.gate;
        await reach();
        this.ends.push({ facts, report });
      },
      forward: async (order) => {
        await reach();
        this.forwarded.push(order);
      },
      cancelElsewhere: async (poolObject, jobIds) => {
        this.cancelledElsewhere.push({ poolObject, jobIds });
      },
      recordStaleResult: async (agentId, result) => {
        await reach();
        this.stale.push({ agentId, result });
      },
      flushHeartbeats: async (heartbeats) => {
        await reach();
        this.heartbeats.push([...heartbeats]);
      },
    };
  }
}

/** An agent as its Pool sees it: a process with a journal, that holds what it was given until it reports it. */
export class PoolAgentProbe {
  readonly agentId: string;
  instanceId = "instance-1";
  journalId: string;
  epoch = 1;
  readonly #harness: PoolHarness;

  constructor(harness: PoolHarness, agentId: string) {
    this.#harness = harness;
    this.agentId = agentId;
    this.journalId = `journal-${agentId}`;
  }

  get caller(): AgentCaller {
    return { agentId: this.agentId, epoch: this.epoch, instanceId: this.instanceId };
  }

  register(
    changes: {
      maxConcurrentJobs?: number;
      pollIntervalSeconds?: number;
      enabled?: boolean;
      publicKey?: PublicKey;
    } = {},
  ) {
    this.#harness.called();
    const { enabled = true, ...request } = changes;
    const { agentId, epoch, instanceId, journalId } = this;
    return register(
      this.#harness.pool,
      { agentId, epoch, instanceId: null },
      {
        settings: { agentId, name: agentId, epoch, enabled, removed: false },
        request: {
          protocol: 1,
          name: agentId,
          version: "1.0.0",
          os: "linux",
          arch: "x64",
          capabilities: ["script"],
          publicKey: { kty: "EC", crv: "P-256", x: "x".repeat(43), y: "y".repeat(43) },
          maxConcurrentJobs: 5,
          pollIntervalSeconds: 5,
          instanceId,
          journalId,
          ...request,
        },
      },
    );
  }

  heartbeat(credentials: string[] = [], held: LeaseRef[] = []) {
    this.#harness.called();
    return heartbeat(this.#harness.pool, this.caller, {
      held: held.map(({ jobId, lease }) => `${jobId}:${lease}`),
      load: held.length,
      version: "1.0.0",
      credentials: credentials.map((connectionId) => ({ connectionId, version: 1 })),
    });
  }

  tryPoll(held: LeaseRef[] = [], capacity = 5): Promise<JobsResponse | PoolRefusal> {
    this.#harness.called();
    return poll(this.#harness.pool, this.caller, { capacity, held });
  }

  async poll(held: LeaseRef[] = [], capacity = 5): Promise<JobsResponse> {
    const answer = await this.tryPoll(held, capacity);
    if ("refused" in answer) throw new Error(`the poll was refused: ${answer.refused}`);
    return answer;
  }

  /** The ids of the jobs that a poll brings. */
  async fetch(held: LeaseRef[] = [], capacity = 5): Promise<string[]> {
    return (await this.poll(held, capacity)).jobs.map(({ id }) => id);
  }

  /** Lets time pass as it does with a real agent: heartbeats every 30 s, polls every 5 s. */
  async live(seconds: number, held: LeaseRef[] = []): Promise<void> {
    for (let second = 0; second < seconds; second += 5) {
      if (second % 30 === 0) this.heartbeat([], held);
      await this.poll(held);
      await this.#harness.advance(5_000);
    }
  }

  async report(ref: LeaseRef, changes: Partial<JobResult> = {}): Promise<Ack> {
    this.#harness.called();
    const answer = await takeResults(this.#harness.pool, this.caller, [this.result(ref, changes)]);
    if ("refused" in answer) throw new Error(`the results were refused: ${answer.refused}`);
    return answer.acks[0]?.ack ?? "unknown";
  }

  result({ jobId, lease }: LeaseRef, changes: Partial<JobResult> = {}): JobResult {
    const at = new Date(this.#harness.now).toISOString();
    return { jobId, lease, status: "succeeded", output: {}, error: null, startedAt: at, finishedAt: at, ...changes };
  }
}

/** Under what an agent holds a job that a poll brought. */
export function refOf({ id, lease }: Pick<Job, "id" | "lease">): LeaseRef {
  return { jobId: id, lease };
}
