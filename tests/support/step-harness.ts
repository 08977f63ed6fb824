import { NOT_PAUSED } from "../../worker/domain/control.ts";
import type { ControlState } from "../../worker/domain/control.ts";
import { earliest } from "../../worker/actors/kit/earliest.ts";
import type { Delivery, Event, EventType } from "../../worker/actors/dispatcher/events.ts";
import type { AgentCaller, PollRequest, RegisterOrder } from "../../worker/actors/dispatcher/rpc.ts";
import type { FinishedJob } from "../../worker/actors/dispatcher/rules/judge-result.ts";
import type { JobFacts } from "../../worker/actors/dispatcher/rules/job.ts";
import { toStoredAgent } from "../../worker/actors/dispatcher/state/agent.ts";
import type { StoredAgent } from "../../worker/actors/dispatcher/state/agent.ts";
import type { StoredJob } from "../../worker/actors/dispatcher/state/job-table.ts";
import type { LiveJob } from "../../worker/actors/dispatcher/state/live-job.ts";
import { loadState } from "../../worker/actors/dispatcher/state/state.ts";
import type { DispatcherState, StoredState } from "../../worker/actors/dispatcher/state/state.ts";
import { nextDue } from "../../worker/actors/dispatcher/step/reconcile.ts";
import { step } from "../../worker/actors/dispatcher/step/step.ts";
import type { Ack, HeartbeatRequest, Job, JobResult } from "../../schema/contract/agent.ts";
import type { JobOrder, JobReport } from "../../worker/domain/job-order.ts";
import type { ProbedDispatcher } from "./agent-probe.ts";
import { connection } from "./job-orders.ts";

const NO_WATCH = { aliveAt: 0, nextAt: 0, graceFrom: null, sockets: 0, recordedAt: 0 };

/**
 * A dispatcher's `step` alone: its state, its writes in maps, and its effects, carried out immediately. No object, no
 * database, no unresolved promise.
 */
export class StepHarness {
  now = Date.UTC(2026, 0, 5, 12);
  databaseDown = false;
  control: ControlState = NOT_PAUSED;
  readonly ends: { facts: JobFacts; report: JobReport }[] = [];
  state: DispatcherState;
  readonly #agents = new Map<string, StoredAgent>();
  readonly #presences = new Map<number, [string, never][]>();
  readonly #jobs = new Map<number, StoredJob>();
  readonly #finished: FinishedJob[] = [];
  #watch: StoredState["watch"] = NO_WATCH;
  #leases = 0;

  constructor() {
    this.state = this.#load();
  }

  /** The calls of agents and runs. */
  readonly dispatcher: ProbedDispatcher & {
    enqueue(orders: readonly JobOrder[]): void;
    cancel(jobIds: string[]): void;
  } = {
    register: (caller: AgentCaller, order: RegisterOrder) =>
      this.#apply({ type: "registered", caller, order, fingerprint: order.request.publicKey.x }),
    heartbeat: (caller: AgentCaller, request: HeartbeatRequest) =>
      this.#apply({ type: "heartbeatReceived", caller, request }),
    poll: async (caller: AgentCaller, request: PollRequest) => {
      const poll = { caller, request };
      const found = this.#apply({ type: "polled", ...poll });
      if ("refused" in found || found.jobs.length === 0) return "refused" in found ? found : { ...found, jobs: [] };
      const leases = () => `lease${++this.#leases}`;
      const snapshot = this.#snapshot();
      this.#readControl();
      const given = this.#apply({ type: "connectionsRead", poll, jobs: found.jobs, snapshot, leases });
      return "refused" in given ? given : { jobs: given.deliveries.map(toWireJob), cancelled: given.cancelled };
    },
    results: async (caller: AgentCaller, results: readonly JobResult[]) => {
      const verdicts = this.#apply({ type: "resultsReported", caller, results });
      if ("refused" in verdicts) return verdicts;
      const acks = verdicts.map((verdict) => {
        const { jobId, lease } = verdict.result;
        if (verdict.type === "answer") return { jobId, lease, ack: verdict.ack };
        if (verdict.type === "record") return { jobId, lease, ack: this.databaseDown ? ("retry" as Ack) : verdict.ack };
        const { live, end } = verdict;
        if (this.databaseDown) this.#apply({ type: "resultNotReported", live });
        else this.#report(live, { type: "endReported", live, end });
        return { jobId, lease, ack: this.databaseDown ? ("retry" as Ack) : ("accepted" as Ack) };
      });
      return { acks };
    },
    enqueue: (orders: readonly JobOrder[]) => this.#apply({ type: "enqueued", orders }),
    cancel: (jobIds: string[]) => this.#apply({ type: "cancelRequested", jobIds }),
  };

  /** There is no object that could sleep. */
  called(): void {}

  enqueue(...orders: JobOrder[]): void {
    this.dispatcher.enqueue(orders);
  }

  /** Loses the state except for the stored part. */
  restart(): void {
    this.state = this.#load();
  }

  /** Lets time pass; fires the alarm when it is due. */
  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    for (let due = this.#due(); due !== null && due <= until; due = this.#due()) {
      // Like a real alarm, which never fires without a pause.
      this.now = Math.max(this.now + 100, due);
      this.#apply({ type: "alarmFired" });
    }
    this.now = Math.max(this.now, until);
  }

  async settled(): Promise<void> {
    if (this.databaseDown) return;
    for (const live of this.state.jobs.ended) {
      const { stage } = live.job;
      if (stage.type === "ended") this.#report(live, { type: "endReported", live, end: { ...stage, by: "service" } });
    }
  }

  #due(): number | null {
    const endsAt = this.state.jobs.ended.size > 0 ? this.now + 1_000 : null;
    return earliest([nextDue(this.state), endsAt]);
  }

  #apply<T extends EventType>(event: Event<T>) {
    const { answer, effects } = step(this.state, event, this.now);
    this.#save();
    const { review, readControl, heartbeats } = effects;
    if (readControl) this.#readControl();
    if (review !== null) this.#apply({ type: "waitingReviewed", review, snapshot: this.#snapshot() });
    if (heartbeats !== null && this.databaseDown) this.#apply({ type: "heartbeatsNotRecorded" });
    return answer;
  }

  #readControl(): void {
    this.#apply({ type: "controlRead", control: this.control });
  }

  #report(live: LiveJob, event: Event<"endReported">): void {
    this.ends.push({ facts: live.job.facts, report: event.end.report });
    this.#apply(event);
  }

  #snapshot() {
    if (this.databaseDown) return null;
    return { connections: new Map([["con_1", connection("con_1")]]), roles: new Map(), syncs: new Map() };
  }

  #load(): DispatcherState {
    const stored: StoredState = {
      agents: structuredClone([...this.#agents.values()]),
      presences: new Map(structuredClone([...this.#presences.values()]).flat()),
      jobs: structuredClone([...this.#jobs.values()]).toSorted((a, b) => a.seq - b.seq),
      watch: this.#watch,
      lastFinished: new Map(),
      outcomes: [],
      finished: (jobIds) => this.#finished.filter(({ jobId }) => jobIds.includes(jobId)),
      oldestFinishedAt: (after) =>
        earliest(this.#finished.map(({ finishedAt }) => finishedAt).filter((at) => at > after)),
    };
    return loadState(stored, { size: 0, heardAt: () => null }, this.now);
  }

  #save(): void {
    const { inserted, saved, deleted, finished } = this.state.jobs.takeChanges();
    for (const { seq, job } of [...inserted.keys(), ...saved]) {
      const stage = job.stage.type === "reserved" ? { type: "queued" as const } : job.stage;
      this.#jobs.set(seq, structuredClone({ seq, facts: job.facts, stage }));
    }
    for (const seq of deleted) this.#jobs.delete(seq);
    this.#finished.push(...finished);
    const { saved: agents, presences } = this.state.agents.takeChanges();
    for (const agent of agents) this.#agents.set(agent.settings.agentId, structuredClone(toStoredAgent(agent)));
    for (const [row, neighbours] of structuredClone(presences))
      this.#presences.set(row, neighbours as [string, never][]);
    if (this.state.watchChanged) this.#watch = this.state.watch;
    this.state.watchChanged = false;
    this.state.pruneBefore = null;
  }
}

/** The part of a job that a probe reads. */
function toWireJob({ live, lease }: Delivery): Job {
  const { jobId, kind, action, effect, timeoutSeconds } = live.job.facts;
  const work = { params: {}, values: {}, connection: null, startWithinSeconds: 300, attempt: 1 };
  return { id: jobId, kind, lease, action, effect, timeoutSeconds, ...work };
}
