import * as fc from "fast-check";
import type { JobResult, LeaseRef } from "../../schema/contract/agent.ts";
import type { AgentJobOrder } from "../../worker/domain/job-order.ts";
import type { DispatcherRpc } from "../../worker/services/ports.ts";
import { registration } from "./registration.ts";

export type Subject = Pick<
  DispatcherRpc,
  "register" | "poll" | "heartbeat" | "results" | "cancel" | "configureAgent" | "jobStates"
>;

export interface Place {
  readonly subject: Subject;
  enqueue(jobId: string, changes: Partial<AgentJobOrder>): Promise<void>;
  /** Resolves when all work has ended. */
  settled(): Promise<void>;
  restart(): Promise<void>;
}

export interface Names {
  agentIds: readonly string[];
  connections: readonly string[];
  /** The prefix of job ids. */
  prefix: string;
}

type Step =
  | { do: "enqueue"; idempotent: boolean; pinned: number | null }
  | { do: "poll"; agent: number; capacity: number; answerLost: boolean }
  | { do: "heartbeat"; agent: number; draining: boolean }
  | { do: "report"; agent: number; status: JobResult["status"] }
  | { do: "cancel"; job: number }
  | { do: "enable"; agent: number; enabled: boolean }
  | { do: "newProcess"; agent: number; sameJournal: boolean }
  | { do: "restart" };

export const AGENTS = 3;
const agent = fc.nat(AGENTS - 1);
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("enqueue"),
      idempotent: fc.boolean(),
      pinned: fc.option(agent, { freq: 3 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("poll"), agent, capacity: fc.nat(3), answerLost: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("heartbeat"), agent, draining: fc.constantFrom(false, false, true) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("report"),
      agent,
      status: fc.constantFrom("succeeded", "failed", "timed_out", "interrupted", "cancelled"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel"), job: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("enable"), agent, enabled: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("newProcess"), agent, sameJournal: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" }) },
);

/** The answers to a history's calls, with leases numbered as they were given out: 1, 2, … */
export class Play {
  readonly place: Place;
  readonly #names: Names;
  readonly #held: LeaseRef[][];
  readonly #leases = new Map<string, number>();
  readonly #processes: { instance: number; journal: number; epoch: number }[];
  #jobs = 0;

  constructor(place: Place, names: Names) {
    this.place = place;
    this.#names = names;
    this.#held = names.agentIds.map(() => []);
    this.#processes = names.agentIds.map(() => ({ instance: 1, journal: 1, epoch: 1 }));
  }

  async run(steps: readonly Step[]): Promise<unknown[]> {
    const trace: unknown[] = [];
    for (let index = 0; index < AGENTS; index += 1) await this.#register(index);
    for (const step of steps) {
      // A plain copy: an answer from workerd is a proxy, which ends with a restart.
      const answer: unknown = JSON.parse(JSON.stringify((await this.#apply(step)) ?? null));
      await this.place.settled();
      const jobIds = Array.from({ length: this.#jobs }, (_, n) => `${this.#names.prefix}_${n}`);
      const states = await this.place.subject.jobStates(jobIds);
      const shown = states.map(({ jobId, status, agentId, waiting }) => [
        jobId.split("_").at(-1),
        status,
        agentId,
        waiting?.code,
      ]);
      trace.push([step.do, answer, shown]);
    }
    return trace;
  }

  async #apply(step: Step): Promise<unknown> {
    const { subject } = this.place;
    switch (step.do) {
      case "enqueue": {
        const pinnedAgentId = step.pinned === null ? null : (this.#names.agentIds[step.pinned] ?? null);
        const connectionId = this.#names.connections[step.pinned === null ? 0 : step.pinned + 1] ?? "";
        const effect = step.idempotent ? "idempotent" : "unsafe";
        return this.place.enqueue(`${this.#names.prefix}_${this.#jobs++}`, { connectionId, pinnedAgentId, effect });
      }
      case "poll": {
        const held = this.#held[step.agent] ?? [];
        const answer = await subject.poll(this.#caller(step.agent), { capacity: step.capacity, held });
        if ("refused" in answer) return answer;
        const given = answer.jobs.map(({ id, lease }) => ({ jobId: id, lease }));
        if (!step.answerLost) held.push(...given.filter(({ jobId }) => !held.some((ref) => ref.jobId === jobId)));
        return {
          jobs: given.map((ref) => this.#shown(ref)),
          cancelled: answer.cancelled.map((ref) => this.#shown(ref)),
        };
      }
      case "heartbeat": {
        const held = this.#held[step.agent] ?? [];
        const request = {
          held: held.map(({ jobId, lease }) => `${jobId}:${lease}`),
          load: held.length,
          version: "1.0.0",
          credentials: [],
        };
        const draining = step.draining ? { draining: true } : {};
        const answer = await subject.heartbeat(this.#caller(step.agent), { ...request, ...draining });
        return "refused" in answer ? answer : { ...answer, cancelled: answer.cancelled.map((ref) => this.#shown(ref)) };
      }
      case "report": {
        const [ref] = this.#held[step.agent] ?? [];
        if (ref === undefined) return null;
        const at = new Date().toISOString();
        const error = step.status === "failed" ? { code: "failed", message: "It failed." } : null;
        const result = { ...ref, status: step.status, output: {}, error, startedAt: at, finishedAt: at };
        const answer = await subject.results(this.#caller(step.agent), [result]);
        if ("refused" in answer) return answer;
        this.#held[step.agent]?.shift();
        return answer.acks.map(({ ack }) => [this.#shown(ref), ack]);
      }
      case "cancel":
        return subject.cancel([`${this.#names.prefix}_${step.job}`]);
      case "enable": {
        for (const process of this.#processes) process.epoch += 1;
        const { epoch } = this.#processOf(step.agent);
        const agentId = this.#names.agentIds[step.agent] ?? "";
        return subject.configureAgent({ agentId, name: agentId, epoch, enabled: step.enabled, removed: false });
      }
      case "newProcess": {
        const process = this.#processOf(step.agent);
        process.instance += 1;
        if (!step.sameJournal) {
          process.journal += 1;
          this.#held[step.agent] = [];
        }
        return this.#register(step.agent);
      }
      case "restart":
        await this.place.restart();
        // The object's alarm may fire later; any call makes it reserve its jobs again.
        return subject.cancel([]);
    }
  }

  #register(index: number) {
    const agentId = this.#names.agentIds[index] ?? "";
    const { instance, journal, epoch } = this.#processOf(index);
    const process = { instanceId: `${agentId}-${instance}`, journalId: `${agentId}-${journal}` };
    const limits = { maxConcurrentJobs: 2, pollIntervalSeconds: 30 };
    return this.place.subject.register(...registration({ agentId, epoch, ...process, ...limits }));
  }

  #caller(index: number) {
    const agentId = this.#names.agentIds[index] ?? "";
    const { instance, epoch } = this.#processOf(index);
    return { agentId, epoch, instanceId: `${agentId}-${instance}` };
  }

  #processOf(index: number) {
    const process = this.#processes[index];
    if (process === undefined) throw new Error(`there is no agent ${index}`);
    return process;
  }

  #shown({ jobId, lease }: LeaseRef) {
    const number = this.#leases.get(lease) ?? this.#leases.size + 1;
    this.#leases.set(lease, number);
    return [jobId.split("_").at(-1), number];
  }
}
