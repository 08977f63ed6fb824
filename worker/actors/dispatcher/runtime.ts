import type { Ack, Job, JobResult, JobsResponse, LeaseRef } from "../../../schema/contract/agent.ts";
import { sealedWorkflows } from "../../../schema/contract/usable-by.ts";
import { AGENT_CALL_LIMIT_MS, JOB_START_WITHIN_SECONDS } from "../../../schema/limits.ts";
import { logWarning } from "../../services/log.ts";
import { ObjectAlarm } from "../kit/alarm.ts";
import type { AlarmStorage } from "../kit/alarm.ts";
import { earliest } from "../kit/earliest.ts";
import { Outbox, inBatches } from "../kit/outbox.ts";
import { SetMap } from "../kit/set-map.ts";
import { waitAtMost, withTimeout } from "../kit/with-timeout.ts";
import type { Answer, Delivery, Effects, Event, EventType, JobEnd, Review, ResultVerdict } from "./events.ts";
import type { DispatcherPorts } from "./ports.ts";
import type { AgentCaller, PollRequest, DispatcherRefusal } from "./rpc.ts";
import type { JobConnection } from "./rules/job-connection.ts";
import { wireAttempt } from "./rules/job.ts";
import { readSnapshot } from "./snapshot.ts";
import type { Agent, OpenSockets } from "./state/agent.ts";
import type { LiveJob } from "./state/live-job.ts";
import { loadState } from "./state/state.ts";
import type { DispatcherState } from "./state/state.ts";
import { nextDue } from "./step/reconcile.ts";
import { step } from "./step/step.ts";
import { DispatcherStorage } from "./storage.ts";
import type { TransactionalStorage } from "./storage.ts";
import { failureMessage } from "../../store/errors.ts";

const CALLS_AT_ONCE = 16;
/** This many failures in a row mean that libSQL fails, rather than one agent's report. */
const RECORDING_FAILURES_MAX = 3;
/** The longest that one call waits; the caller repeats it. A call between objects must not last for ever. */
const WAIT_MAX_MS = 30_000;

/** What a dispatcher needs of the object that contains it. */
export interface Surroundings {
  readonly storage: TransactionalStorage & AlarmStorage;
  readonly ports: DispatcherPorts;
  readonly sockets: OpenSockets & {
    /** Asks the agent to poll now. */
    wake(agentId: string): void;
    /** Closes the agent's socket. The agent may open another one. */
    close(agentId: string): void;
  };
  /** The time of the object's present alarm (epoch ms). */
  readonly armedAt: number | null;
  /** Runs work that no caller waits for. */
  background(work: Promise<unknown>): void;
  /** Ends the object. The next call creates a new one, loaded from storage. */
  abort(reason: string): void;
}

/**
 * Gives the jobs of a pool, or of an agent without a pool, to agents. Each call is an event: its step changes the
 * state, the changes are stored, and then the effects run. No other event comes between two awaits.
 */
export class DispatcherRuntime {
  readonly #around: Surroundings;
  readonly #storage: DispatcherStorage;
  readonly state: DispatcherState;
  readonly #alarm: ObjectAlarm;
  readonly #ends: Outbox<LiveJob>;
  readonly #credentials: Outbox<Agent>;
  readonly #endListeners = new SetMap<() => void>();
  #isOver = false;

  constructor(around: Surroundings) {
    const { storage, ports, sockets, armedAt } = around;
    this.#around = around;
    this.#storage = new DispatcherStorage(storage);
    this.state = loadState(this.#storage.load(ports.now()), sockets, ports.now());
    // Loading may have noted an outage.
    this.#storage.save(this.state);
    this.#ends = new Outbox({
      pending: () => this.state.jobs.ended,
      send: (live) => this.#reportOwnEnd(live),
      now: ports.now,
    });
    this.#credentials = new Outbox({
      pending: () => this.state.agents.unrecorded,
      send: (agent) => this.#recordCredentials(agent),
      now: ports.now,
      failuresMax: RECORDING_FAILURES_MAX,
      logFields: ({ settings: { agentId } }) => ({ agentId }),
    });
    this.#alarm = new ObjectAlarm(storage, { now: ports.now, dueAt: () => this.#dueAt() }, armedAt);
    this.#alarm.arm();
  }

  /** Applies an event, stores the changes and runs the effects. */
  apply<T extends EventType>(event: Event<T>): Answer<T> {
    const { answer, effects } = this.#step(event);
    this.#run(effects);
    this.#alarm.arm();
    return answer;
  }

  async poll(caller: AgentCaller, request: PollRequest): Promise<JobsResponse | DispatcherRefusal> {
    const { ports, sockets } = this.#around;
    const poll = { caller, request };
    const found = this.apply({ type: "polled", ...poll });
    if ("refused" in found) return found;
    // An agent that can be woken does not need to poll often.
    const next = sockets.heardAt(caller.agentId) === null ? {} : { pollAfterSeconds: ports.idlePollSeconds };
    if (found.jobs.length === 0) return { jobs: [], cancelled: found.cancelled, ...next };
    const [snapshot] = await Promise.all([readSnapshot(ports, found.jobs, caller.agentId), ports.readControl()]);
    // Usually from memory, where the line above has put it. Reading libSQL may have taken long.
    await this.followControl();
    const given = this.apply({ type: "connectionsRead", poll, jobs: found.jobs, snapshot, leases: ports.newLease });
    if ("refused" in given) return given;
    return { jobs: given.deliveries.map((delivery) => this.#wireJob(delivery)), cancelled: given.cancelled, ...next };
  }

  /**
   * Checks each result against its job's lease, has the run commit it, and then acknowledges it. A result that could
   * not be committed is answered `retry` and stays in the agent's journal (invariant 4).
   */
  async results(
    caller: AgentCaller,
    results: readonly JobResult[],
  ): Promise<{ acks: (LeaseRef & { ack: Ack })[] } | DispatcherRefusal> {
    const endsAt = this.#around.ports.now() + AGENT_CALL_LIMIT_MS;
    const verdicts = this.apply({ type: "resultsReported", caller, results });
    if ("refused" in verdicts) return verdicts;
    const acks = await inBatches(verdicts, CALLS_AT_ONCE, async (verdict) => {
      const { jobId, lease } = verdict.result;
      return { jobId, lease, ack: await this.#ack(caller.agentId, verdict, endsAt) };
    });
    return { acks };
  }

  /** Resolves when a job is over or unknown here, or after `ms`. */
  async waitForEnd(jobId: string, ms: number): Promise<void> {
    if (this.state.jobs.get(jobId) === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endListeners.add(jobId, resolve);
    await waitAtMost(Math.min(ms, WAIT_MAX_MS), promise);
    this.#endListeners.delete(jobId, resolve);
  }

  /** Learns whether the deployment is paused. */
  async followControl(): Promise<void> {
    this.apply({ type: "controlRead", control: await this.#around.ports.readControl() });
  }

  /** Why jobs wait may depend on a pause that this dispatcher has no other reason to look for. */
  async whileJobsWait(): Promise<DispatcherState> {
    if (this.state.jobs.queue.size > 0) await this.followControl();
    return this.state;
  }

  /** No safety alarm, because the work awaits nothing: no other alarm rings, and the state has the calls in flight. */
  async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      this.apply({ type: "alarmFired" });
    }, null);
  }

  #step<T extends EventType>(event: Event<T>) {
    if (this.#isOver) throw new Error("this dispatcher was restarted from its storage");
    try {
      const taken = step(this.state, event, this.#around.ports.now());
      // Before the write, which holds back everything after it until it is on disk. The poll's answer waits for that.
      for (const agentId of taken.effects.wake) this.#around.sockets.wake(agentId);
      this.#storage.save(this.state);
      return taken;
    } catch (error) {
      // The state in memory may differ from the disk. A new object continues from storage.
      this.#isOver = true;
      this.#around.abort(`the event ${event.type} could not be applied: ${String(error)}`);
      throw error;
    }
  }

  #run({ closeSockets, review, readControl, heartbeats, warnings }: Effects): void {
    const { sockets } = this.#around;
    // Failed work is due earlier than the safety time of work in flight.
    const background = (work: Promise<unknown>) => this.#around.background(work.finally(() => this.#alarm.arm()));
    for (const { message, fields } of warnings) logWarning(message, fields);
    for (const agentId of closeSockets) sockets.close(agentId);
    if (review !== null) background(this.#review(review));
    if (readControl) background(this.followControl());
    if (heartbeats !== null) background(this.#recordHeartbeats(heartbeats));
    for (const outbox of [this.#ends, this.#credentials]) if (outbox.dueAt() !== null) background(outbox.drain());
  }

  #dueAt(): number | null {
    return earliest([nextDue(this.state), this.#ends.dueAt(), this.#credentials.dueAt()]);
  }

  async #review(review: Review): Promise<void> {
    const snapshot = await readSnapshot(this.#around.ports, review.jobs, null, review.edited);
    await this.followControl();
    this.apply({ type: "waitingReviewed", review, snapshot });
  }

  async #recordHeartbeats(heartbeats: NonNullable<Effects["heartbeats"]>): Promise<void> {
    try {
      await this.#around.ports.recordHeartbeats(heartbeats);
    } catch (error) {
      logWarning("heartbeats could not be recorded; the next alarm tries again", { error: failureMessage(error) });
      this.apply({ type: "heartbeatsNotRecorded" });
    }
  }

  /** One call at a time for each agent, so that an older report cannot overtake a newer one. */
  async #recordCredentials({ settings: { agentId }, credentials: reported }: Agent): Promise<void> {
    const recorded = await this.#around.ports.recordCredentials(agentId, reported);
    this.apply({ type: "credentialsRecorded", agentId, reported, recorded });
  }

  async #reportOwnEnd(live: LiveJob): Promise<void> {
    const { stage } = live.job;
    if (stage.type === "ended") await this.#reportEnd(live, { ...stage, by: "service" });
  }

  /** The run commits first, then the lease is released. */
  async #reportEnd(live: LiveJob, end: JobEnd): Promise<void> {
    const { facts } = live.job;
    await this.#around.ports.reportEnd(facts, end.report);
    this.apply({ type: "endReported", live, end });
    for (const listener of this.#endListeners.get(facts.jobId) ?? []) listener();
  }

  /** A result that takes longer than the call may last stays with the agent, which sends it again. */
  async #ack(agentId: string, verdict: ResultVerdict, endsAt: number): Promise<Ack> {
    const left = endsAt - this.#around.ports.now();
    if (left <= 0) {
      if (verdict.type === "report" && verdict.isFirst) this.apply({ type: "resultNotReported", live: verdict.live });
      return "retry";
    }
    try {
      return await withTimeout(left, "taking a result", this.#take(agentId, verdict));
    } catch (error) {
      logWarning("a result could not be taken", { jobId: verdict.result.jobId, error: failureMessage(error) });
      return "retry";
    }
  }

  async #take(agentId: string, verdict: ResultVerdict): Promise<Ack> {
    if (verdict.type === "answer") return verdict.ack;
    if (verdict.type === "record") {
      // Recorded only: another lease is valid, or none (invariant 2).
      const { ports } = this.#around;
      await ports.recordStaleResult(agentId, verdict.result, ports.now());
      return verdict.ack;
    }
    const { live, end, isFirst } = verdict;
    const isReported = await this.#ends.send(live, () => this.#reportEnd(live, end));
    if (isReported) return isFirst ? "accepted" : "duplicate";
    if (isFirst) this.apply({ type: "resultNotReported", live });
    return "retry";
  }

  #wireJob({ live, lease, connection, secretsConnection, sync }: Delivery): Job {
    const { facts } = live.job;
    const payload = this.#storage.loadPayload(live.seq);
    if (payload === null) throw new Error(`the payload of job ${facts.jobId} is not in storage`);
    const params = sync === null ? payload.params : { ...sync.params };
    return {
      id: facts.jobId,
      kind: facts.kind,
      lease,
      action: facts.action,
      ...(facts.executionId === null ? {} : { executionId: facts.executionId }),
      ...(facts.workflowId === null ? {} : { workflowId: facts.workflowId }),
      effect: facts.effect,
      connection: sync?.connection ?? (connection === null ? null : toWireConnection(connection)),
      ...(secretsConnection === null ? {} : { secretsConnection: toWireConnection(secretsConnection) }),
      ...(facts.target === undefined ? {} : { target: facts.target }),
      params,
      values: { ...payload.values },
      timeoutSeconds: facts.timeoutSeconds,
      startWithinSeconds: JOB_START_WITHIN_SECONDS,
      attempt: wireAttempt(facts),
      ...(facts.traceparent === undefined ? {} : { traceparent: facts.traceparent }),
    };
  }
}

function toWireConnection({ id, type, config, usableBy }: JobConnection): NonNullable<Job["connection"]> {
  const workflows = sealedWorkflows(usableBy);
  return { id, type, config, ...(workflows === null ? {} : { workflows }) };
}
