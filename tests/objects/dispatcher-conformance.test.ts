import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { JobResult, LeaseRef } from "../../schema/contract/agent.ts";
import { jobStatesOf } from "../../worker/actors/dispatcher/views.ts";
import type { AgentJobOrder } from "../../worker/domain/job-order.ts";
import type { PoolRpc } from "../../worker/services/ports.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { createAgent, createConnection } from "../support/management.ts";
import { PoolHarness, connection, order } from "../support/pool-harness.ts";
import { poolObject, recordJob } from "../support/pool-object.ts";

/**
 * The same histories for the harness that the dispatcher's tests use and for the real object in workerd, with its alarm,
 * its storage and its database: every call must be answered alike. Histories are short, so that no time limit falls into them.
 */
type Subject = Pick<PoolRpc, "register" | "poll" | "heartbeat" | "results" | "cancel" | "configureAgent" | "jobStates">;

interface Place {
  readonly subject: Subject;
  enqueue(jobId: string, changes: Partial<AgentJobOrder>): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  restart(): Promise<void>;
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

const AGENTS = 3;
const isFull = process.env["BELLHOP_TEST_FULL"] === "1";
const HISTORIES = isFull ? 60 : 8;
/** The same histories with every run, but for a full one. */
const SEED = isFull ? Date.now() : 15;
const agent = fc.nat(AGENTS - 1);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
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

let bellhop: Bellhop;

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(async () => {
  await bellhop?.stop();
});

function harnessPlace(agentIds: readonly string[], connections: readonly string[]): Place {
  const harness = new PoolHarness();
  for (const [index, id] of connections.entries()) {
    const pinnedAgentId = agentIds[index - 1] ?? null;
    harness.connections.set(id, connection(id, { target: { poolObject: "pool:web", pinnedAgentId } }));
  }
  const called =
    <A extends unknown[], R>(work: (...args: A) => R | Promise<R>) =>
    async (...args: A): Promise<R> => {
      harness.now += 5;
      return work(...args);
    };
  return {
    subject: {
      register: called((...args) => harness.dispatcher.register(...args)),
      poll: called((...args) => harness.dispatcher.poll(...args)),
      heartbeat: called((...args) => harness.dispatcher.heartbeat(...args)),
      results: called((...args) => harness.dispatcher.results(...args)),
      cancel: called((...args) => harness.dispatcher.cancel(...args)),
      configureAgent: called((...args) => harness.dispatcher.configureAgent(...args)),
      jobStates: called((jobIds) => jobStatesOf(harness.state, jobIds, harness.now)),
    },
    enqueue: called((jobId, changes) => harness.enqueue(order(jobId, { ...changes, queuedAt: harness.now }))),
    settled: () => harness.settled(),
    restart: async () => harness.restart(),
  };
}

async function realPlace(poolId: string): Promise<Place> {
  const name = `pool:${poolId}`;
  let lastAt = 0;
  /** Two calls in one millisecond would be equally old, which the harness's are not. */
  const later = async () => {
    while (Date.now() === lastAt) await Bun.sleep(1);
    lastAt = Date.now();
    return poolObject(bellhop, name);
  };
  return {
    subject: {
      register: async (...args) => (await later()).register(...args),
      poll: async (...args) => (await later()).poll(...args),
      heartbeat: async (...args) => (await later()).heartbeat(...args),
      results: async (...args) => (await later()).results(...args),
      cancel: async (...args) => (await later()).cancel(...args),
      configureAgent: async (...args) => (await later()).configureAgent(...args),
      jobStates: async (...args) => (await later()).jobStates(...args),
    },
    enqueue: async (jobId, changes) => {
      const order = await recordJob(bellhop, jobId, { ...changes, poolObject: name });
      await (await later()).enqueue([order]);
    },
    settled: async () => {},
    restart: () => bellhop.restartWorker(),
  };
}

/** What a history's calls were answered, with leases as they were given out: 1, 2, … */
class Play {
  readonly place: Place;
  readonly agentIds: readonly string[];
  readonly connections: readonly string[];
  readonly prefix: string;
  readonly trace: unknown[] = [];
  readonly #held: LeaseRef[][];
  readonly #leases = new Map<string, number>();
  readonly #processes: { instance: number; journal: number; epoch: number }[];
  #jobs = 0;

  constructor(place: Place, agentIds: readonly string[], connections: readonly string[], prefix: string) {
    this.place = place;
    this.agentIds = agentIds;
    this.connections = connections;
    this.prefix = prefix;
    this.#held = agentIds.map(() => []);
    this.#processes = agentIds.map(() => ({ instance: 1, journal: 1, epoch: 1 }));
  }

  async run(steps: readonly Step[]): Promise<unknown[]> {
    for (let index = 0; index < AGENTS; index += 1) await this.#register(index);
    for (const step of steps) {
      // A plain copy: an answer of workerd is a proxy, which ends with a restart.
      const answer: unknown = JSON.parse(JSON.stringify((await this.#apply(step)) ?? null));
      await this.place.settled();
      const jobIds = Array.from({ length: this.#jobs }, (_, n) => `${this.prefix}_${n}`);
      const states = await this.place.subject.jobStates(jobIds);
      const shown = states.map(({ jobId, status, agentId, waiting }) => [
        jobId.split("_").at(-1),
        status,
        agentId,
        waiting?.code,
      ]);
      this.trace.push([step.do, answer, shown]);
    }
    return this.trace;
  }

  async #apply(step: Step): Promise<unknown> {
    const { subject } = this.place;
    switch (step.do) {
      case "enqueue": {
        const pinnedAgentId = step.pinned === null ? null : (this.agentIds[step.pinned] ?? null);
        const connectionId = this.connections[step.pinned === null ? 0 : step.pinned + 1] ?? "";
        const effect = step.idempotent ? "idempotent" : "unsafe";
        return this.place.enqueue(`${this.prefix}_${this.#jobs++}`, { connectionId, pinnedAgentId, effect });
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
        return subject.cancel([`${this.prefix}_${step.job}`]);
      case "enable": {
        for (const process of this.#processes) process.epoch += 1;
        const { epoch } = this.#processOf(step.agent);
        const agentId = this.agentIds[step.agent] ?? "";
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
        // The object's alarm rings when it will: any call has it reserve its jobs again.
        return subject.cancel([]);
    }
  }

  #register(index: number) {
    const agentId = this.agentIds[index] ?? "";
    const { instance, journal, epoch } = this.#processOf(index);
    return this.place.subject.register(
      { agentId, epoch, instanceId: null },
      {
        settings: { agentId, name: agentId, epoch, enabled: true, removed: false },
        request: {
          protocol: 1,
          name: agentId,
          version: "1.0.0",
          os: "linux",
          arch: "x64",
          capabilities: ["script"],
          features: [],
          publicKey: { kty: "EC", crv: "P-256", x: "x".repeat(43), y: "y".repeat(43) },
          maxConcurrentJobs: 2,
          pollIntervalSeconds: 30,
          instanceId: `${agentId}-${instance}`,
          journalId: `${agentId}-${journal}`,
        },
      },
    );
  }

  #caller(index: number) {
    const agentId = this.agentIds[index] ?? "";
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

describe("the harness and the object in workerd answer alike", () => {
  const histories = fc.sample(fc.array(anyStep, { minLength: 25, maxLength: 45 }), { numRuns: HISTORIES, seed: SEED });
  test.each(histories.map((steps, index) => [index + 1, steps] as const))(
    "history %d",
    async (index, steps) => {
      const poolId = `p-${index}`;
      const agentIds: string[] = [];
      for (let n = 0; n < AGENTS; n += 1) agentIds.push((await createAgent(bellhop, { poolId })).agent.id);
      agentIds.sort();
      const connections = [await createConnection(bellhop, { type: "script", poolId })];
      for (const agentId of agentIds) connections.push(await createConnection(bellhop, { type: "script", agentId }));
      const prefix = `job_${index}`;
      const real = await new Play(await realPlace(poolId), agentIds, connections, prefix).run(steps);
      const expected = await new Play(harnessPlace(agentIds, connections), agentIds, connections, prefix).run(steps);
      expect(real).toEqual(expected);
    },
    60_000,
  );
});
