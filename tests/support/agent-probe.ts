import type {
  Ack,
  HeartbeatRequest,
  Job,
  JobResult,
  JobsResponse,
  LeaseRef,
  RegisterRequest,
} from "../../schema/contract/agent.ts";
import type { AgentCaller, DispatcherRefusal } from "../../worker/actors/dispatcher/index.ts";
import type { CalledDispatcher } from "./called-dispatcher.ts";
import { registration } from "./registration.ts";

/** The calls of agents. */
export type ProbedDispatcher = Pick<CalledDispatcher, "register" | "heartbeat" | "poll" | "results">;

/** A dispatcher with a clock. */
export interface ProbedHarness {
  readonly now: number;
  readonly dispatcher: ProbedDispatcher;
  /** Announces a call of the dispatcher. */
  called(): void;
  advance(ms: number): Promise<void>;
}

/**
 * An agent from the dispatcher's point of view: a process with a journal that holds jobs until it reports their ends.
 */
export class AgentProbe {
  readonly agentId: string;
  instanceId = "instance-1";
  journalId: string;
  epoch = 1;
  readonly #harness: ProbedHarness;

  constructor(harness: ProbedHarness, agentId: string) {
    this.#harness = harness;
    this.agentId = agentId;
    this.journalId = `journal-${agentId}`;
  }

  get caller(): AgentCaller {
    return { agentId: this.agentId, epoch: this.epoch, instanceId: this.instanceId };
  }

  register(changes: Partial<RegisterRequest> & { enabled?: boolean } = {}) {
    this.#harness.called();
    const { agentId, epoch, instanceId, journalId } = this;
    return this.#harness.dispatcher.register(...registration({ agentId, epoch, instanceId, journalId, ...changes }));
  }

  /** A credential is only a connection's id, as older agents report it, or also has its target. */
  heartbeat(
    credentials: (string | { connectionId: string; target: string | null })[] = [],
    held: LeaseRef[] = [],
    changes: Partial<HeartbeatRequest> = {},
  ) {
    this.#harness.called();
    const request = {
      held: held.map(({ jobId, lease }) => `${jobId}:${lease}`),
      load: held.length,
      version: "1.0.0",
      credentials: credentials.map((one) => ({
        version: 1,
        ...(typeof one === "string" ? { connectionId: one } : one),
      })),
      ...changes,
    };
    return this.#harness.dispatcher.heartbeat(this.caller, request);
  }

  tryPoll(held: LeaseRef[] = [], capacity = 5): Promise<JobsResponse | DispatcherRefusal> {
    this.#harness.called();
    return this.#harness.dispatcher.poll(this.caller, { capacity, held });
  }

  async poll(held: LeaseRef[] = [], capacity = 5): Promise<JobsResponse> {
    const answer = await this.tryPoll(held, capacity);
    if ("refused" in answer) throw new Error(`the poll was refused: ${answer.refused}`);
    return answer;
  }

  /** The ids of the jobs in a poll's answer. */
  async fetch(held: LeaseRef[] = [], capacity = 5): Promise<string[]> {
    return (await this.poll(held, capacity)).jobs.map(({ id }) => id);
  }

  /** Lets time pass as with a real agent: heartbeats every 30 s, polls every 5 s. */
  async live(seconds: number, held: LeaseRef[] = []): Promise<void> {
    for (let second = 0; second < seconds; second += 5) {
      if (second % 30 === 0) this.heartbeat([], held);
      await this.poll(held);
      await this.#harness.advance(5_000);
    }
  }

  async report(ref: LeaseRef, changes: Partial<JobResult> = {}): Promise<Ack> {
    this.#harness.called();
    const answer = await this.#harness.dispatcher.results(this.caller, [this.result(ref, changes)]);
    if ("refused" in answer) throw new Error(`the results were refused: ${answer.refused}`);
    return answer.acks[0]?.ack ?? "unknown";
  }

  result({ jobId, lease }: LeaseRef, changes: Partial<JobResult> = {}): JobResult {
    const at = new Date(this.#harness.now).toISOString();
    return { jobId, lease, status: "succeeded", output: {}, error: null, startedAt: at, finishedAt: at, ...changes };
  }
}

/** The reference by which an agent holds a delivered job. */
export function refOf({ id, lease }: Pick<Job, "id" | "lease">): LeaseRef {
  return { jobId: id, lease };
}
