import type { Job, JobResult, LeaseRef } from "../../schema/contract/agent.ts";
import { AgentClient, success } from "./agent-client.ts";
import type { Bellhop } from "./bellhop.ts";
import { createAgent } from "./management.ts";

/** How a job ends. */
export type Work = (job: Job) => JobResult | null;

/** An agent by its contract alone that does what a test says, as quickly as it can poll. Stop it in `afterAll`. */
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

  /** What it does with jobs from now on; a job for which it says null it keeps, and reports never. */
  does(work: Work): void {
    this.#work = work;
  }

  /** What the scripts of its jobs were given as `X`. */
  given(): string[] {
    return this.jobs.map(x);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  /** Ends what it kept, as `does` says now. */
  finishesHeld(): void {
    this.#finishHeld = true;
  }

  async #run(): Promise<void> {
    let held: Job[] = [];
    let untold: JobResult[] = [];
    while (!this.#stopped) {
      const leases = [...held.map(({ id, lease }) => ({ jobId: id, lease })), ...untold];
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
      untold = await this.#report([...untold, ...results]);
      if (results.length === 0) await Bun.sleep(10);
    }
  }

  /** Gives what the service has not taken: it may be away, and takes it later. */
  async #report(results: JobResult[]): Promise<JobResult[]> {
    if (results.length === 0) return [];
    try {
      const acks = await this.#client.report(...results);
      return results.filter((_, index) => acks[index] === "retry");
    } catch {
      return results;
    }
  }

  /** A service that was restarted wants it to register again. */
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

/** What the script of a job was given as `X`. */
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
