import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { LeaseRef } from "../../../schema/contract/agent.ts";
import { LOST_TIMES_MAX } from "../../../schema/limits.ts";
import { OrderingRuns } from "../../support/ordering-runs.ts";
import { AgentProbe, DispatcherHarness, connection, order, refOf } from "../../support/dispatcher-harness.ts";
import { FULL } from "../../support/full.ts";

const SECOND_MS = 1_000;
const POOLS = ["pool:web", "pool:db", "pool:ops"];
const JOBS = ["job_1", "job_2", "job_3"];

type Step =
  | { do: "order"; job: number }
  | { do: "cancel"; job: number }
  | { do: "move"; pool: number }
  | { do: "poll"; pool: number; answerLost: boolean }
  | { do: "heartbeat"; pool: number }
  | { do: "report"; pool: number; interrupted: boolean }
  | { do: "taking"; fail: "before" | "after" | null }
  | { do: "reporting"; fail: boolean }
  | { do: "orderAgain" }
  | { do: "database"; pool: number; down: boolean }
  | { do: "moveAgent"; pool: number; to: number }
  | { do: "restart"; pool: number }
  | { do: "wait"; pool: number; seconds: number };

const pool = fc.nat(POOLS.length - 1);
const job = fc.nat(JOBS.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("order"), job }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel"), job }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("move"), pool }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("poll"), pool, answerLost: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("heartbeat"), pool }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("report"), pool, interrupted: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("taking"), fail: fc.constantFrom("before", "after", null, null) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("reporting"), fail: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("orderAgain") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("database"), pool, down: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("moveAgent"), pool, to: pool }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart"), pool }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("wait"), pool, seconds: fc.constantFrom(1, 4, 6, 61) }) },
);

interface Place {
  harness: DispatcherHarness;
  agents: Worker[];
}

/** An agent keeps each lease until it has reported the result, also after a move to another pool. */
interface Worker {
  probe: AgentProbe;
  held: LeaseRef[];
}

/** Three dispatchers, one connection and three agents that move between them, and the runs that order the jobs. */
class World {
  readonly places = POOLS.map((_pool, n): Place => {
    const harness = new DispatcherHarness();
    const probe = new AgentProbe(harness, `agent_${n}`);
    probe.register();
    return { harness, agents: [{ probe, held: [] }] };
  });
  readonly run = new OrderingRuns(new Map(this.places.map(({ harness }, n) => [POOLS[n] ?? "", harness])));
  readonly leases = new Map(JOBS.map((id) => [id, new Set<string>()]));

  constructor() {
    this.move(POOLS[0] ?? "");
  }

  move(poolObject: string): void {
    const target = { poolObject, pinnedAgentId: null };
    for (const { harness } of this.places) harness.connections.set("con_1", connection("con_1", { target }));
  }

  async apply(step: Step): Promise<void> {
    const place = "pool" in step ? this.places[step.pool] : undefined;
    const id = "job" in step ? (JOBS[step.job] ?? "") : "";
    switch (step.do) {
      case "order":
        this.run.order(order(id, { effect: effectOf(id) }));
        break;
      case "cancel":
        this.run.cancel(id);
        break;
      case "move":
        this.move(POOLS[step.pool] ?? "");
        break;
      case "poll":
        if (place !== undefined) await this.poll(place, step.answerLost);
        break;
      case "heartbeat":
        for (const { probe, held } of place?.agents ?? []) probe.heartbeat([], held);
        break;
      case "report":
        if (place !== undefined) await report(place, step.interrupted);
        break;
      case "moveAgent":
        if (place !== undefined) this.moveAgent(place, this.places[step.to]);
        break;
      case "taking":
        this.run.takingFails = step.fail;
        break;
      case "reporting":
        this.run.callsFail = step.fail;
        break;
      case "orderAgain":
        this.run.orderAgain();
        break;
      case "database":
        if (place !== undefined) place.harness.databaseDown = step.down;
        break;
      case "restart":
        place?.harness.restart();
        break;
      case "wait":
        // One dispatcher may be slower than the others: their clocks agree, but their progress differs.
        await place?.harness.advance(step.seconds * SECOND_MS);
        break;
    }
    for (const { harness } of this.places) await harness.settled();
    this.check();
  }

  async poll(place: Place, answerLost: boolean): Promise<void> {
    for (const { probe, held } of place.agents) {
      const answer = await probe.poll(held);
      for (const given of answer.jobs) {
        this.leases.get(given.id)?.add(`${this.places.indexOf(place)}:${given.lease}`);
        if (!answerLost) held.push(refOf(given));
      }
    }
  }

  moveAgent(from: Place, to: Place | undefined): void {
    const [agent] = from.agents;
    if (to === undefined || to === from || agent === undefined) return;
    const { agentId, epoch, journalId } = agent.probe;
    const settings = { agentId, name: agentId, epoch: epoch + 1, enabled: true, removed: true };
    const leases = from.harness.state.jobs.countHeldBy(agentId);
    expect(from.harness.dispatcher.configureAgent(settings, true)).toBe(leases);
    if (leases > 0) return;
    from.agents.shift();
    agent.probe = new AgentProbe(to.harness, agentId);
    Object.assign(agent.probe, { epoch: epoch + 1, journalId });
    agent.probe.register();
    to.agents.push(agent);
  }

  check(): void {
    for (const [id, { status }] of this.run.jobs) {
      const stages = this.places.flatMap(({ harness }) => harness.state.jobs.get(id)?.job.stage.type ?? []);
      // At most one dispatcher can deliver the job or has delivered it.
      const open = stages.filter((type) => type !== "ended").length;
      expect([id, open <= 1]).toEqual([id, true]);
      const ends = this.run.ends.filter(({ jobId }) => jobId === id).length;
      expect([id, ends]).toEqual([id, status === "queued" || status === "cancelled" ? Math.min(ends, 1) : 1]);
      const most = effectOf(id) === "unsafe" ? 1 : 1 + LOST_TIMES_MAX;
      expect([id, (this.leases.get(id)?.size ?? 0) <= most]).toEqual([id, true]);
    }
  }

  async calm(): Promise<void> {
    this.run.takingFails = null;
    this.run.callsFail = false;
    for (const { harness } of this.places) harness.databaseDown = false;
    for (let round = 0; round < 30; round += 1) {
      this.run.orderAgain();
      for (const place of this.places) {
        // Each pool has an agent again.
        const lender = this.places.find(({ agents }) => agents.length > 1);
        if (place.agents.length === 0 && lender !== undefined) this.moveAgent(lender, place);
        for (const { probe, held } of place.agents) probe.heartbeat([], held);
        await this.poll(place, false);
        await report(place, false);
        await place.harness.advance(5 * SECOND_MS);
      }
      this.check();
    }
  }
}

/** Every second job may run twice. */
function effectOf(id: string): "unsafe" | "idempotent" {
  return JOBS.indexOf(id) % 2 === 0 ? "unsafe" : "idempotent";
}

async function report({ harness, agents }: Place, interrupted: boolean): Promise<void> {
  for (const { probe, held } of agents) {
    for (const ref of held.splice(0)) {
      const ends = harness.ends.length;
      const ack = await probe.report(ref, interrupted ? { status: "interrupted" } : {});
      if (ack === "retry") held.push(ref);
      // The result of a job that was lost before the move is recorded and changes nothing.
      if (ack === "unknown" || ack === "stale") {
        expect(harness.stale.at(-1)).toMatchObject({ agentId: probe.agentId, result: ref });
        expect(harness.ends).toHaveLength(ends);
      }
    }
  }
}

test("with any moves and failed calls, a job is in one pool, has one lease, ends once, and is never lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 100 }), async (steps) => {
      const world = new World();
      for (const next of steps) await world.apply(next);
      await world.calm();
      for (const [id, { status }] of world.run.jobs) expect([id, status]).not.toEqual([id, "queued"]);
      for (const { harness } of world.places) {
        const { jobs } = harness.state;
        expect([jobs.queue.size, jobs.ended.size, jobs.someAreHeld]).toEqual([0, 0, false]);
        harness.database.close();
      }
    }),
    { numRuns: FULL ? 5_000 : 300 },
  );
}, 300_000);
