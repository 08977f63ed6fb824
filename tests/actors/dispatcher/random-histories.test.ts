import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Ack, JobResult, LeaseRef } from "../../../schema/contract/agent.ts";
import { LOST_TIMES_MAX } from "../../../schema/limits.ts";
import { pause, resume } from "../../../worker/domain/control.ts";
import { judgeLease } from "../../../worker/actors/dispatcher/rules/judge-result.ts";
import { AgentProbe, DispatcherHarness, order, refOf } from "../../support/dispatcher-harness.ts";
import { StepHarness } from "../../support/step-harness.ts";
import { FULL } from "../../support/full.ts";

const SECOND_MS = 1_000;
const AGENTS = ["a", "b", "c"];
const JOBS = ["job_1", "job_2", "job_3", "job_4", "job_5", "job_6"];
const STATUSES = ["succeeded", "failed", "timed_out"] as const;

type Step =
  | { do: "enqueue"; job: number }
  | { do: "cancel"; job: number }
  | { do: "poll"; agent: number; capacity: number; answerLost: boolean; dropped: boolean }
  | { do: "heartbeat"; agent: number }
  | { do: "drain"; agent: number }
  | { do: "finish"; agent: number; status: number }
  | { do: "report"; agent: number; answerLost: boolean }
  | { do: "restartAgent"; agent: number; journalLost: boolean }
  | { do: "restartDispatcher"; awaySeconds: number }
  | { do: "wait"; seconds: number }
  | { do: "database"; down: boolean }
  | { do: "pause"; on: boolean };

const agent = fc.nat(AGENTS.length - 1);
const job = fc.nat(JOBS.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("enqueue"), job }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel"), job }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("poll"),
      agent,
      capacity: fc.nat(3),
      answerLost: fc.boolean(),
      dropped: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("heartbeat"), agent }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("drain"), agent }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("finish"), agent, status: fc.nat(STATUSES.length - 1) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("report"), agent, answerLost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restartAgent"), agent, journalLost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restartDispatcher"), awaySeconds: fc.nat(300) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait"), seconds: fc.nat(200) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("database"), down: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause"), on: fc.boolean() }) },
);

/** An agent with a journal: its leases, and the results that it must report (ARCHITECTURE.md#invariants). */
class Worker {
  readonly probe: AgentProbe;
  readonly world: World;
  readonly held = new Map<string, { ref: LeaseRef; result: JobResult | null }>();
  journals = 0;
  processes = 0;
  /** The agent shuts down and does not poll. */
  isDraining = false;

  constructor(world: World, agentId: string) {
    this.world = world;
    this.probe = new AgentProbe(world.harness, agentId);
    this.probe.register();
  }

  get refs(): LeaseRef[] {
    return [...this.held.values()].map(({ ref }) => ref);
  }

  async poll(capacity: number, answerLost: boolean, dropped: boolean): Promise<void> {
    if (this.isDraining) return;
    const answer = await this.probe.poll(this.refs, capacity);
    for (const given of answer.jobs) {
      const lease = `${this.probe.agentId}:${this.probe.journalId}:${given.lease}`;
      const known = this.world.leases.get(given.id);
      if (this.world.harness.control.pause !== null) expect([given.id, known?.has(lease)]).toEqual([given.id, true]);
      known?.add(lease);
      this.world.shown.push({ agentId: this.probe.agentId, ref: refOf(given) });
      if (answerLost || dropped || this.held.has(given.id)) continue;
      this.world.begun.push(given.id);
      this.held.set(given.id, { ref: refOf(given), result: null });
    }
    if (answerLost) return;
    for (const ref of answer.cancelled) {
      const entry = this.held.get(ref.jobId);
      if (entry?.ref.lease === ref.lease) entry.result ??= this.probe.result(ref, { status: "cancelled" });
    }
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    const given = this.world.harness.state.jobs.heldBy(this.probe.agentId).map(({ live }) => live.job.facts.jobId);
    await this.probe.heartbeat([], this.refs, { draining: true });
    // A job that the agent never had gets another lease, although it is unsafe to run twice.
    this.world.givenBack.push(...given.filter((id) => !this.held.has(id)));
  }

  finish(status: number): void {
    for (const entry of this.held.values()) {
      if (entry.result !== null) continue;
      entry.result = this.probe.result(entry.ref, { status: STATUSES[status] ?? "failed" });
      return;
    }
  }

  async report(answerLost: boolean): Promise<void> {
    const unreported = [...this.held.values()].flatMap(({ result }) => (result === null ? [] : [result]));
    if (unreported.length === 0) return;
    for (const result of unreported) this.world.reported.add(`${result.lease}:${result.status}`);
    this.world.harness.called();
    const answer = await this.world.harness.dispatcher.results(this.probe.caller, unreported);
    if ("refused" in answer) throw new Error(answer.refused);
    if (answerLost) return;
    for (const { jobId, ack } of answer.acks) if (isFinal(ack)) this.held.delete(jobId);
  }

  restart(journalLost: boolean): void {
    this.processes += 1;
    this.isDraining = false;
    this.probe.instanceId = `instance-${this.probe.agentId}-${this.processes}`;
    if (journalLost) {
      this.journals += 1;
      this.probe.journalId = `journal-${this.probe.agentId}-${this.journals}`;
      this.held.clear();
    }
    for (const entry of this.held.values()) entry.result ??= this.probe.result(entry.ref, { status: "interrupted" });
    this.probe.register();
  }
}

class World {
  readonly harness: DispatcherHarness | StepHarness;
  readonly enqueued = new Set<string>();
  readonly leases = new Map(JOBS.map((id) => [id, new Set<string>()]));
  readonly shown: { agentId: string; ref: LeaseRef }[] = [];
  readonly begun: string[] = [];
  readonly givenBack: string[] = [];
  readonly reported = new Set<string>();
  readonly workers: Worker[];

  constructor(harness: DispatcherHarness | StepHarness) {
    this.harness = harness;
    this.workers = AGENTS.map((agentId) => new Worker(this, agentId));
  }

  async apply(step: Step): Promise<void> {
    const { harness } = this;
    const id = "job" in step ? (JOBS[step.job] ?? "") : "";
    const worker = "agent" in step ? this.workers[step.agent] : undefined;
    switch (step.do) {
      case "enqueue":
        this.enqueued.add(id);
        harness.enqueue(order(id, { effect: effectOf(id) }));
        break;
      case "cancel":
        await harness.dispatcher.cancel([id]);
        break;
      case "poll":
        await worker?.poll(step.capacity, step.answerLost, step.dropped);
        break;
      case "heartbeat":
        await worker?.probe.heartbeat([], worker.refs);
        break;
      case "drain":
        await worker?.drain();
        break;
      case "finish":
        worker?.finish(step.status);
        break;
      case "report":
        await worker?.report(step.answerLost);
        break;
      case "restartAgent":
        worker?.restart(step.journalLost);
        break;
      case "restartDispatcher":
        harness.now += step.awaySeconds * SECOND_MS;
        harness.restart();
        break;
      case "wait":
        await harness.advance(step.seconds * SECOND_MS);
        break;
      case "database":
        harness.databaseDown = step.down;
        break;
      case "pause":
        this.pause(step.on);
        break;
    }
    await harness.settled();
    this.check();
  }

  pause(on: boolean): void {
    const { control, now } = this.harness;
    this.harness.control = on ? pause(control, { by: "bootstrap", at: now, reason: "Failover" }) : resume(control, now);
  }

  check(): void {
    const { harness } = this;
    for (const id of this.enqueued) {
      const ends = harness.ends.filter(({ facts }) => facts.jobId === id);
      const live = harness.state.jobs.get(id);
      // No job is lost, and no job ends twice.
      expect([id, ends.length + (live === undefined ? 0 : 1)]).toEqual([id, 1]);
      // An unsafe job has one lease, because it fails when it is lost and cannot run twice. Other jobs have a bound.
      const most = effectOf(id) === "unsafe" ? 1 : 1 + LOST_TIMES_MAX;
      const leases = (this.leases.get(id)?.size ?? 0) - this.givenBack.filter((other) => other === id).length;
      expect([id, leases <= most]).toEqual([id, true]);
      expect([id, this.begun.filter((begun) => begun === id).length <= most]).toEqual([id, true]);
      const current = this.shown.filter(
        ({ agentId, ref }) =>
          ref.jobId === id &&
          judgeLease(live?.job ?? null, harness.state.jobs.finished(id), agentId, ref) === "current",
      );
      expect(new Set(current.map(({ agentId, ref }) => `${agentId}:${ref.lease}`)).size).toBeLessThanOrEqual(1);
    }
    for (const { facts, report } of harness.ends) {
      if (report.status !== "succeeded") continue;
      const leases = [...(this.leases.get(facts.jobId) ?? [])].map((entry) => entry.split(":")[2]);
      expect(leases.some((lease) => this.reported.has(`${lease}:succeeded`))).toBe(true);
    }
  }

  /** All faults are over: every agent polls, works and reports. */
  async calm(): Promise<void> {
    this.harness.databaseDown = false;
    this.pause(false);
    for (const worker of this.workers) if (worker.isDraining) worker.restart(false);
    for (let round = 0; round < 20; round += 1) {
      for (const worker of this.workers) {
        await worker.probe.heartbeat([], worker.refs);
        await worker.poll(5, false, false);
        for (let n = worker.held.size; n > 0; n -= 1) worker.finish(0);
        await worker.report(false);
      }
      await this.harness.advance(5 * SECOND_MS);
      await this.harness.settled();
      this.check();
    }
  }
}

/** Every second job may run twice. */
function effectOf(id: string): "unsafe" | "idempotent" {
  return JOBS.indexOf(id) % 2 === 0 ? "unsafe" : "idempotent";
}

function isFinal(ack: Ack): boolean {
  return ack !== "retry";
}

const numRuns = FULL ? 3_000 : 100;

describe.each([
  ["the step alone", () => new StepHarness(), 5 * numRuns],
  ["a dispatcher on SQLite", () => new DispatcherHarness(), numRuns],
  [
    "a dispatcher that is put to sleep",
    () => {
      const harness = new DispatcherHarness();
      harness.sleeps = true;
      return harness;
    },
    numRuns,
  ],
])("%s", (_name, harnessOf, runs) => {
  test("a job has one lease at a time, runs once if it is unsafe, ends once, and is never lost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), async (steps) => {
        const world = new World(harnessOf());
        for (const next of steps) await world.apply(next);
        await world.calm();
        expect(new Set(world.harness.ends.map(({ facts }) => facts.jobId))).toEqual(world.enqueued);
        if (world.harness instanceof DispatcherHarness) world.harness.database.close();
      }),
      { numRuns: runs },
    );
  }, 300_000);
});
