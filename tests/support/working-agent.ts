import type { Job, JobResult, LeaseRef } from "../../schema/contract/agent.ts";
import { AgentClient, success } from "./agent-client.ts";
import type { Bellhop } from "./bellhop.ts";
import { createAgent } from "./management.ts";

/** How a job ends. */
export type Work = (job: Job) => JobResult | null;

/**
 * An agent that follows only its contract: it answers jobs as a test says, as fast as it can poll. Stop it in
 * `afterAll`.
 */
export class WorkingAgent {
  readonly jobs: Job[] = [];
  readonly #client: AgentClient;
  #work: Work = (job) => success(job);
  #stopped = false;
  #finishHeld = false;
  #loop: Promise<void> = Promise.resolve();

  private constructor(client: AgentClient) {
    this.#client = client;
  }

  static async start(bellhop: Pick<Bellhop, "url" | "api">, poolId: string): Promise<WorkingAgent> {
    const { apiKey } = await createAgent(bellhop, { poolId });
    const client = new AgentClient(bellhop, apiKey);
    await client.register({ maxConcurrentJobs: 50 });
    const agent = new WorkingAgent(client);
    agent.#loop = agent.#run();
    return agent;
  }

  /** Sets the answer to later jobs; a job with the answer null stays held and unreported. */
  does(work: Work): void {
    this.#work = work;
  }

  /** The values of `X` for the scripts of its jobs. */
  given(): string[] {
    return this.jobs.map(x);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  /** Ends the held jobs, with the current `does`. */
  finishesHeld(): void {
    this.#finishHeld = true;
  }

  async #run(): Promise<void> {
    let held: Job[] = [];
    let unreported: JobResult[] = [];
    while (!this.#stopped) {
      const leases = [...held.map(({ id, lease }) => ({ jobId: id, lease })), ...unreported];
      const polled = await this.#poll(leases);
      const fresh = polled.filter((job) => !leases.some(({ lease }) => lease === job.lease));
      this.jobs.push(...fresh);
      const todo = this.#finishHeld ? [...held, ...fresh] : fresh;
      if (this.#finishHeld) held = [];
      this.#finishHeld = false;
      const results = todo.flatMap((job) => {
        const result = this.#work(job);
        if (result === null) held.push(job);
        return result === null ? [] : [result];
      });
      unreported = await this.#report([...unreported, ...results]);
      if (results.length === 0) await Bun.sleep(10);
    }
  }

  /** Returns the results that the service has not accepted: it may be down, and accept them later. */
  async #report(results: JobResult[]): Promise<JobResult[]> {
    if (results.length === 0) return [];
    try {
      const acks = await this.#client.report(...results);
      return results.filter((_, index) => acks[index] === "retry");
    } catch {
      return results;
    }
  }

  /** A restarted service asks the agent to register again. */
  async #poll(held: readonly LeaseRef[]): Promise<Job[]> {
    try {
      return (
        await this.#client.poll(
          held.map(({ jobId, lease }) => ({ jobId, lease })),
          50,
        )
      ).jobs;
    } catch {
      await this.#client.register({ maxConcurrentJobs: 50 }).catch(() => {});
      return [];
    }
  }
}

/** The value of `X` for a job's script. */
export function x({ values }: Pick<Job, "values">): string {
  return values["X"] ?? "";
}

export function failure({ id, lease }: Job, message = "It failed."): JobResult {
  const at = new Date().toISOString();
  return {
    jobId: id,
    lease,
    status: "failed",
    output: { exitCode: 1 },
    error: { code: "nonzero_exit", message },
    startedAt: at,
    finishedAt: at,
  };
}
