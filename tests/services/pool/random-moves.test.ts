import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { LeaseRef } from "../../../schema/contract/agent.ts";
import { cancelJobs } from "../../../worker/services/pool/cancel.ts";
import { PoolAgentProbe, PoolHarness, connection, order, refOf } from "../../support/pool-harness.ts";

const SECOND_MS = 1_000;
const POOLS = ["pool:web", "pool:db", "pool:ops"];
const JOBS = ["job_1", "job_2", "job_3"];

type Step =
  | { do: "tell"; job: number }
  | { do: "cancel"; job: number }
  | { do: "move"; pool: number }
  | { do: "poll"; pool: number; answerLost: boolean }
  | { do: "report"; pool: number }
  | { do: "forwards"; pool: number; fail: "before" | "after" | null }
  | { do: "records"; pool: number; fail: boolean }
  | { do: "restart"; pool: number }
  | { do: "wait"; pool: number; seconds: number };

const pool = fc.nat(POOLS.length - 1);
const job = fc.nat(JOBS.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("tell"), job }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel"), job }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("move"), pool }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("poll"), pool, answerLost: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("report"), pool }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("forwards"), pool, fail: fc.constantFrom("before", "after", null) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("records"), pool, fail: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart"), pool }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("wait"), pool, seconds: fc.constantFrom(1, 4, 6, 61) }) },
);

/** A Pool with one agent, that keeps what it was given until it has reported it. */
interface Place {
  harness: PoolHarness;
  agent: PoolAgentProbe;
  held: LeaseRef[];
}

/** Three Pools between which one connection is moved; all jobs are unsafe. */
class World {
  readonly places = POOLS.map((): Place => {
    const harness = new PoolHarness();
    const agent = new PoolAgentProbe(harness, "a");
    agent.register();
    return { harness, agent, held: [] };
  });
  readonly told = new Set<string>();
  readonly leases = new Map(JOBS.map((id) => [id, new Set<string>()]));

  constructor() {
    for (const { harness } of this.places) {
      POOLS.forEach((name, n) => {
        const other = this.places[n]?.harness;
        if (other !== undefined && other !== harness) harness.others.set(name, other);
      });
    }
    this.move(POOLS[0] ?? "");
  }

  move(poolObject: string): void {
    const target = { poolObject, pinnedAgentId: null };
    for (const { harness } of this.places) harness.connections.set("con_1", connection("con_1", { target }));
  }

  /** Where libSQL says that a job is, and how often it has moved. */
  recorded(id: string): { place: Place | undefined; poolObject: string; moves: number } {
    const moves = this.places.flatMap(({ harness }) => harness.recordedMoves.get(id) ?? []);
    const last = moves.toSorted((a, b) => b.moves - a.moves)[0];
    const poolObject = last?.poolObject ?? POOLS[0] ?? "";
    return { place: this.places[POOLS.indexOf(poolObject)], poolObject, moves: last?.moves ?? 0 };
  }

  async apply(step: Step): Promise<void> {
    const place = "pool" in step ? this.places[step.pool] : undefined;
    const id = "job" in step ? (JOBS[step.job] ?? "") : "";
    switch (step.do) {
      case "tell": {
        const { place: there, poolObject, moves } = this.recorded(id);
        this.told.add(id);
        there?.harness.enqueue(order(id, { poolObject, ...(moves === 0 ? {} : { moves }) }));
        break;
      }
      case "cancel": {
        const there = this.recorded(id).place;
        if (there !== undefined) await cancelJobs(there.harness.pool, [id]);
        break;
      }
      case "move":
        this.move(POOLS[step.pool] ?? "");
        break;
      case "poll":
        if (place !== undefined) await this.poll(place, step.answerLost);
        break;
      case "report":
        if (place !== undefined) await report(place);
        break;
      case "forwards":
        if (place !== undefined) place.harness.forwardFails = step.fail;
        break;
      case "records":
        if (place !== undefined) place.harness.recordMovesFails = step.fail;
        break;
      case "restart":
        place?.harness.restart();
        break;
      case "wait":
        // A Pool may be busy while the others go on: their clocks are the same, what they have done by then is not.
        await place?.harness.advance(step.seconds * SECOND_MS);
        break;
    }
    for (const { harness } of this.places) await harness.settled();
    this.check();
  }

  async poll(place: Place, answerLost: boolean): Promise<void> {
    const answer = await place.agent.poll(place.held);
    for (const given of answer.jobs) {
      this.leases.get(given.id)?.add(`${this.places.indexOf(place)}:${given.lease}`);
      if (!answerLost) place.held.push(refOf(given));
    }
  }

  check(): void {
    for (const id of this.told) {
      const ends = this.places.flatMap(({ harness }) => harness.ends.filter(({ facts }) => facts.jobId === id));
      const lives = this.places.flatMap(({ harness }) => harness.pool.jobs.get(id) ?? []);
      const here = lives.filter(({ job: { stage } }) => stage.type !== "forwarding");
      expect([id, ends.length <= 1 && here.length + ends.length <= 1]).toEqual([id, true]);
      expect([id, lives.length + ends.length > 0]).toEqual([id, true]);
      const leases = this.leases.get(id)?.size ?? 0;
      expect([id, leases <= 1]).toEqual([id, true]);
    }
  }

  async calm(): Promise<void> {
    for (const { harness } of this.places) {
      harness.forwardFails = null;
      harness.recordMovesFails = false;
    }
    for (let round = 0; round < 30; round += 1) {
      for (const place of this.places) {
        await place.agent.heartbeat([], place.held);
        await this.poll(place, false);
        await report(place);
        await place.harness.advance(5 * SECOND_MS);
      }
      this.check();
    }
  }
}

async function report(place: Place): Promise<void> {
  for (const ref of place.held.splice(0)) expect(await place.agent.report(ref)).not.toBe("unknown");
}

test("however its connection moves and calls fail, a job is in one pool, has one lease, ends once, and is never lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const world = new World();
      for (const next of steps) await world.apply(next);
      await world.calm();
      const ends = world.places.flatMap(({ harness }) => harness.ends.map(({ facts }) => facts.jobId));
      expect(ends.toSorted()).toEqual([...world.told].toSorted());
      for (const { harness } of world.places) {
        expect(harness.pool.jobs.forwarding()).toEqual([]);
        harness.database.close();
      }
    }),
    { numRuns: process.env["BELLHOP_TEST_FULL"] === "1" ? 5_000 : 200 },
  );
}, 300_000);
