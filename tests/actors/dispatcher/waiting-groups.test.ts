import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { ActionName } from "../../../schema/contract/action.ts";
import { obstacleButRoom, obstacleFor } from "../../../worker/actors/dispatcher/rules/candidate.ts";
import { roomOf, candidateOf, toWaitingJob } from "../../../worker/actors/dispatcher/state/candidates.ts";
import { AgentProbe, DispatcherHarness, connection, order, refOf } from "../../support/dispatcher-harness.ts";
import { FULL } from "../../support/full.ts";

const SECOND_MS = 1_000;
/** A connection that needs its credential. */
const SECRET = { type: "custom", hasCredential: true, isDelivered: true } as const;
/** Features that new agents register, and that some jobs need. */
const NEW = { features: ["namedValues" as const] };
const AT = Date.UTC(2026, 0, 5, 12);

type Step =
  | {
      do: "enqueue";
      pinned: boolean;
      agent: number;
      con: number;
      secrets: boolean;
      isNew: boolean;
      action: ActionName;
      at: number;
    }
  | { do: "cancel"; job: number }
  | { do: "poll"; agent: number; capacity: number }
  | { do: "report"; agent: number }
  | { do: "heartbeat"; agent: number; cons: boolean[] }
  | { do: "enable"; agent: number; enabled: boolean }
  | { do: "register"; agent: number; isNew: boolean; actions: string[] | undefined }
  | { do: "wait"; seconds: number }
  | { do: "review" }
  | { do: "restart" };

const AGENTS = ["a", "b", "c", "d"];
const CONNECTIONS = ["con_1", "con_2", "con_secret"];
const ACTIONS = ["script.bash", "script.python"] as const;
const agentIndex = fc.nat(AGENTS.length - 1);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("enqueue"),
      pinned: fc.boolean(),
      agent: agentIndex,
      con: fc.nat(CONNECTIONS.length - 1),
      secrets: fc.boolean(),
      isNew: fc.boolean(),
      action: fc.constantFrom(...ACTIONS),
      at: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel"), job: fc.nat(10) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("poll"), agent: agentIndex, capacity: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("report"), agent: agentIndex }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("heartbeat"),
      agent: agentIndex,
      cons: fc.array(fc.boolean(), { minLength: CONNECTIONS.length, maxLength: CONNECTIONS.length }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("enable"), agent: agentIndex, enabled: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("register"),
      agent: agentIndex,
      isNew: fc.boolean(),
      actions: fc.option(fc.subarray([...ACTIONS, "redis.get"]), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait"), seconds: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("review") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart") }) },
);

/** Agents with credentials and leases, and jobs of all kinds. */
class World {
  readonly harness = new DispatcherHarness();
  readonly probes = AGENTS.map((agentId) => new AgentProbe(this.harness, agentId));
  readonly held = new Map<string, ReturnType<typeof refOf>[]>(AGENTS.map((agentId) => [agentId, []]));
  jobs = 0;
  epoch = 1;

  constructor() {
    this.harness.connections.set("con_secret", connection("con_secret", SECRET));
    this.harness.connections.set("con_2", connection("con_2"));
    for (const probe of this.probes) probe.register({ maxConcurrentJobs: 2 });
  }

  async apply(step: Step): Promise<void> {
    const { harness } = this;
    const agentId = AGENTS["agent" in step ? step.agent : 0] ?? "a";
    const probe = this.probes["agent" in step ? step.agent : 0];
    const held = this.held.get(agentId);
    if (probe === undefined || held === undefined) throw new Error("unreachable");
    switch (step.do) {
      case "enqueue": {
        const pinnedAgentId = step.pinned ? agentId : null;
        const own = `con_${pinnedAgentId ?? "any"}_${step.con}`;
        const like = CONNECTIONS[step.con] ?? "con_1";
        const target = { poolObject: "pool:web", pinnedAgentId };
        harness.connections.set(own, connection(own, { ...(like === "con_secret" ? SECRET : {}), target }));
        const params: Record<string, string> = { script: "echo", ...(step.secrets ? { secretsFrom: "con_2" } : {}) };
        const needs = { connectionId: own, pinnedAgentId, params, action: step.action, ...(step.isNew ? NEW : {}) };
        harness.enqueue(order(`job_${this.jobs++}`, { ...needs, queuedAt: AT + step.at }));
        break;
      }
      case "cancel":
        await harness.dispatcher.cancel([`job_${step.job}`]);
        break;
      case "poll":
        held.push(...(await probe.poll(held, step.capacity)).jobs.filter(notIn(held)).map(refOf));
        break;
      case "report":
        for (const ref of held.splice(0)) await probe.report(ref);
        break;
      case "heartbeat": {
        const like = CONNECTIONS.filter((_, index) => step.cons[index]);
        const own = like.flatMap((con) => {
          const index = CONNECTIONS.indexOf(con);
          return [con, `con_any_${index}`, `con_${agentId}_${index}`];
        });
        await probe.heartbeat(own, held);
        break;
      }
      case "enable": {
        this.epoch += 1;
        for (const each of this.probes) each.epoch = this.epoch;
        const settings = { agentId, name: agentId, epoch: this.epoch, enabled: step.enabled, removed: false };
        await harness.dispatcher.configureAgent(settings);
        break;
      }
      case "register":
        probe.register({
          maxConcurrentJobs: 2,
          ...(step.isNew ? NEW : {}),
          ...(step.actions === undefined ? {} : { actions: step.actions }),
        });
        break;
      case "wait":
        await harness.advance(step.seconds * SECOND_MS);
        break;
      case "review":
        await harness.reviewNow();
        break;
      case "restart":
        harness.restart();
        break;
    }
    await harness.settled();
  }

  /** After any call, no job waits that an agent could take, and none is reserved for an agent that cannot run it. */
  check(): void {
    const { state, dispatcher } = this.harness;
    dispatcher.cancel([]);
    const members = [...state.agents.members()];
    const jobs = Array.from({ length: this.jobs }, (_, n) => state.jobs.get(`job_${n}`)).filter(
      (live) => live !== undefined,
    );
    for (const live of jobs) {
      const { stage, facts } = live.job;
      const job = toWaitingJob(live, state.agents);
      for (const agent of members) {
        const candidate = candidateOf(state, agent, this.harness.now);
        if (stage.type === "queued")
          expect([facts.jobId, obstacleFor(job, candidate)]).not.toEqual([facts.jobId, null]);
        if (stage.type === "reserved" && stage.agentId === candidate.agentId) {
          expect([facts.jobId, obstacleButRoom(job, candidate)]).toEqual([facts.jobId, null]);
          expect(roomOf(state, agent)).toBeGreaterThanOrEqual(0);
        }
      }
    }
    const waiting = jobs.filter(({ job: { stage } }) => ["queued", "reserved"].includes(stage.type));
    expect(state.jobs.waiting().map(({ seq }) => seq)).toEqual(
      waiting.toSorted((x, y) => x.job.facts.queuedAt - y.job.facts.queuedAt || x.seq - y.seq).map(({ seq }) => seq),
    );
  }
}

function notIn(held: readonly { jobId: string; lease: string }[]) {
  return ({ id, lease }: { id: string; lease: string }) => !held.some((ref) => ref.jobId === id && ref.lease === lease);
}

test("no job waits that an agent with room can run, and none is reserved for an agent that cannot", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 60 }), async (steps) => {
      const world = new World();
      for (const step of steps) {
        await world.apply(step);
        world.check();
      }
      world.harness.database.close();
    }),
    { numRuns: FULL ? 3_000 : 150 },
  );
}, 300_000);
