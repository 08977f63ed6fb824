import type { JobResult } from "../../schema/contract/agent.ts";
import type { Role } from "../../schema/contract/people.ts";
import type { CredentialSync } from "../../worker/actors/dispatcher/events.ts";
import type { DispatcherPorts } from "../../worker/actors/dispatcher/ports.ts";
import type { JobConnection } from "../../worker/actors/dispatcher/rules/job-connection.ts";
import { NOT_PAUSED } from "../../worker/domain/control.ts";
import type { ControlState } from "../../worker/domain/control.ts";
import type { JobFacts } from "../../worker/actors/dispatcher/rules/job.ts";
import type { HeldCredentials } from "../../worker/domain/credential/judge-reported.ts";
import { targetMismatch } from "../../worker/domain/credential/usable.ts";
import type { AgentJobOrder, JobReport } from "../../worker/domain/job-order.ts";
import { BOOTSTRAP_PERSON } from "../../worker/services/principal.ts";

/**
 * The surroundings of a dispatcher, in plain lists. Its ports behave like the real ones on libSQL:
 * `tests/actors/dispatcher/ports-conformance.test.ts` runs one suite for both.
 */
export class DispatcherSurroundings {
  now = Date.UTC(2026, 0, 5, 12);
  databaseDown = false;
  control: ControlState = NOT_PAUSED;
  controlReads = 0;
  /** How much time passes with every network call. */
  callsTakeMs = 0;
  readonly connections = new Map<string, JobConnection>();
  connectionReads = 0;
  /** The current roles of people. */
  readonly roles = new Map<string, Role>();
  roleReads = 0;
  /** The contents of credentialSync jobs, by job. */
  readonly syncs = new Map<string, CredentialSync>();
  /** An agent's missing credentials, ordered with the agent's next report of its credentials. */
  readonly lacking: { order: AgentJobOrder; sync: CredentialSync }[] = [];
  /** The reported credentials, as the dispatcher passed them on. */
  readonly recorded: { agentId: string; credentials: [string, number][] }[] = [];
  /** The jobs in libSQL. */
  readonly jobs = new Set<string>();
  readonly ends: { facts: JobFacts; report: JobReport }[] = [];
  /** The ends of jobs that go to another pool. */
  readonly rerouted: JobReport[] = [];
  /** Also gets the ends: see `OrderingRuns`. */
  run: { take(report: JobReport): Promise<void> } | null = null;
  readonly stale: { agentId: string; result: JobResult }[] = [];
  readonly heartbeats: { agentId: string; lastHeartbeatAt: number }[][] = [];
  /** The number of attempts to record credentials. */
  recordCalls = 0;
  /** When set, recording an agent's reported credentials waits for it. */
  recordGate: Promise<void> | null = null;
  /** When set, reporting an end waits for it. */
  gate: Promise<void> | null = null;
  #leases = 0;

  end(jobId: string): JobReport | undefined {
    return this.ends.find(({ facts }) => facts.jobId === jobId)?.report;
  }

  ports(): DispatcherPorts {
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
        const roles = new Map(this.roles).set(BOOTSTRAP_PERSON, "admin");
        return new Map([...roles].filter(([person]) => people.includes(person)));
      },
      readControl: async () => {
        this.controlReads += 1;
        return this.control;
      },
      readSyncs: async (jobIds) => {
        await reach();
        return new Map([...this.syncs].filter(([id]) => jobIds.includes(id)));
      },
      recordCredentials: async (agentId, reported) => {
        this.recordCalls += 1;
        await this.recordGate;
        await reach();
        this.recorded.push({ agentId, credentials: [...reported].map(([id, { version }]) => [id, version]) });
        return { orders: this.#orderLacking(agentId), unusable: this.unusableAmong(agentId, reported) };
      },
      reportEnd: async (facts, report) => {
        await this.gate;
        await reach();
        await this.run?.take(report);
        this.syncs.delete(report.jobId);
        if (report.reroute === undefined) this.ends.push({ facts, report });
        else this.rerouted.push(report);
      },
      recordStaleResult: async (agentId, result) => {
        await reach();
        const isKnown = this.stale.some(
          (one) => one.agentId === agentId && one.result.jobId === result.jobId && one.result.lease === result.lease,
        );
        if (this.jobs.has(result.jobId) && !isKnown) this.stale.push({ agentId, result });
      },
      recordHeartbeats: async (heartbeats) => {
        await reach();
        this.heartbeats.push([...heartbeats]);
      },
    };
  }

  /** The unusable ones, as libSQL would judge them by these connections. */
  unusableAmong(agentId: string, reported: HeldCredentials): string[] {
    return [...reported].flatMap(([id, held]) => {
      const wanted = this.connections.get(id)?.wanted?.(agentId);
      return wanted === undefined || targetMismatch(held, wanted) === null ? [] : [id];
    });
  }

  #orderLacking(agentId: string): AgentJobOrder[] {
    const [due, others] = partition(this.lacking, ({ order }) => order.pinnedAgentId === agentId);
    this.lacking.splice(0, Infinity, ...others);
    for (const { order, sync } of due) this.syncs.set(order.jobId, sync);
    for (const { order } of due) this.jobs.add(order.jobId);
    return due.map(({ order }) => order);
  }
}

function partition<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}
