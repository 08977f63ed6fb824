import { z } from "zod";
import {
  AGENT_API_PATH,
  AGENT_FEATURES,
  SESSION_HEADER,
  formatHeld,
  jobSchema,
  registerResponseSchema,
  resultsResponseSchema,
} from "../../schema/contract/agent.ts";
import type { Job, LeaseRef } from "../../schema/contract/agent.ts";
import type { Api } from "../../scripts/local/api.ts";

const CAPACITY = 50;
const HEARTBEAT_MS = 20_000;
/** The wait between polls while a job is due: the job of a webhook is queued a moment after its 200. */
const POLL_AGAIN_MS = 1;
const FINISH_LIMIT_MS = 30_000;
const PUBLIC_KEY = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
};
const jobsSchema = z.object({ jobs: z.array(jobSchema) });

/**
 * An agent that follows the agents' contract and whose actions take no time: it polls while a job is due, and reports
 * success immediately. It notes when the service acknowledges a job's result, which happens after the commit of the
 * step.
 */
export class InstantAgent {
  readonly #url: string;
  readonly #key: string;
  readonly #session: string;
  readonly #held = new Map<string, LeaseRef>();
  readonly #awaited = new Map<string, () => void>();
  /** Marks of awaited jobs that have started. */
  readonly #begun = new Set<string>();
  /** The number of due jobs that are not awaited by their mark. */
  #due = 0;
  #workedOff = Promise.withResolvers<void>();
  #stopped = false;
  #wake = Promise.withResolvers<void>();
  readonly #failure = Promise.withResolvers<never>();
  readonly #loop: Promise<void>;
  readonly #heartbeats: ReturnType<typeof setInterval>;

  private constructor(url: string, key: string, session: string) {
    this.#url = url;
    this.#key = key;
    this.#session = session;
    // A caller that awaits a job gets the failure; without one, the rejection is not an error.
    this.#failure.promise.catch(() => {});
    this.#heartbeats = setInterval(() => this.#beside(this.#heartbeat()), HEARTBEAT_MS);
    this.#loop = this.#run().catch((error: unknown) => this.#failure.reject(error));
  }

  static async start(url: string, api: Api, poolId: string): Promise<InstantAgent> {
    const { apiKey } = await api.post("/agents", { name: "bench", poolId }, z.object({ apiKey: z.string() }));
    const registration = {
      protocol: 1,
      name: "bench",
      version: "1",
      os: "linux",
      arch: "x64",
      capabilities: ["script"],
      features: AGENT_FEATURES,
      publicKey: PUBLIC_KEY,
      maxConcurrentJobs: CAPACITY,
      pollIntervalSeconds: 5,
      instanceId: crypto.randomUUID(),
      journalId: crypto.randomUUID(),
    };
    const { session } = await send(url, apiKey, null, "/register", registration, registerResponseSchema);
    return new InstantAgent(url, apiKey, session);
  }

  /**
   * Resolves when the result of the job whose value `MARK` is `mark` is acknowledged. Call it before the job can exist;
   * polling for it begins with `started`, as if the service had woken the agent.
   */
  async finished(mark: string, started: Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited.set(mark, resolve);
    await started;
    if (this.#awaited.has(mark)) this.#begun.add(mark);
    this.#wake.resolve();
    await within(Promise.race([promise, this.#failure.promise]), `job ${mark}`);
  }

  /** Handles this many jobs with any marks; resolves when the result of the last one is acknowledged. */
  async workOff(jobs: number): Promise<void> {
    if (this.#due > 0) throw new Error("jobs are already being executed");
    this.#due = jobs;
    this.#workedOff = Promise.withResolvers<void>();
    this.#wake.resolve();
    await within(Promise.race([this.#workedOff.promise, this.#failure.promise]), `${jobs} jobs`);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#heartbeats);
    this.#wake.resolve();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      if (this.#begun.size === 0 && this.#due === 0) {
        this.#wake = Promise.withResolvers<void>();
        await this.#wake.promise;
        continue;
      }
      const fresh = await this.#poll();
      // Reports run in parallel with the next poll, as in the agent.
      if (fresh.length > 0) this.#beside(this.#report(fresh));
      else await Bun.sleep(POLL_AGAIN_MS);
    }
  }

  async #poll(): Promise<Job[]> {
    const held = [...this.#held.values()].map(formatHeld).join(",");
    const { jobs } = await this.#call(
      `/jobs?capacity=${CAPACITY - this.#held.size}&held=${held}`,
      undefined,
      jobsSchema,
    );
    const fresh = jobs.filter(({ lease }) => !this.#held.has(lease));
    for (const { id, lease } of fresh) this.#held.set(lease, { jobId: id, lease });
    return fresh;
  }

  async #report(jobs: readonly Job[]): Promise<void> {
    const at = new Date().toISOString();
    const output = { exitCode: 0, stdout: "done\n", stderr: "" };
    const results = jobs.map(({ id, lease }) => ({
      jobId: id,
      lease,
      status: "succeeded",
      output,
      startedAt: at,
      finishedAt: at,
    }));
    const { acks } = await this.#call("/results", { results }, resultsResponseSchema);
    for (const { ack, lease } of acks) {
      if (ack !== "accepted") throw new Error(`a result was answered ${ack}`);
      this.#held.delete(lease);
    }
    for (const { values } of jobs) {
      const mark = values["MARK"] ?? "";
      const resolve = this.#awaited.get(mark);
      this.#awaited.delete(mark);
      this.#begun.delete(mark);
      if (resolve !== undefined) resolve();
      else if (this.#due > 0 && --this.#due === 0) this.#workedOff.resolve();
    }
  }

  #beside(work: Promise<void>): void {
    work.catch((error: unknown) => this.#failure.reject(error));
  }

  async #heartbeat(): Promise<void> {
    const held = [...this.#held.values()].map(formatHeld);
    await this.#call("/heartbeat", { held, load: held.length, version: "1", credentials: [] }, z.unknown());
  }

  #call<T>(path: string, body: unknown, shape: z.ZodType<T>): Promise<T> {
    return send(this.#url, this.#key, this.#session, path, body, shape);
  }
}

async function send<T>(
  url: string,
  key: string,
  session: string | null,
  path: string,
  body: unknown,
  shape: z.ZodType<T>,
): Promise<T> {
  const response = await fetch(`${url}${AGENT_API_PATH}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      ...(session === null ? {} : { [SESSION_HEADER]: session }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(FINISH_LIMIT_MS),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return z.object({ data: shape }).parse(answer).data;
}

async function within<T>(work: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} did not end in time`)), FINISH_LIMIT_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
