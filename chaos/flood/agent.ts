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
import type { Ack, Job } from "../../schema/contract/agent.ts";
import type { Admin } from "../admin.ts";
import { codeIn, reasonOf } from "./reason.ts";

/** A job from its agent's side. */
export interface AgentJob {
  jobId: string;
  lease: string;
  /** The mark of its event. */
  mark: string;
  ack: Ack | null;
  /** When its result was acknowledged (`performance.now()`), which happens after the commit. */
  ackedAt: number | null;
}

const CAPACITY = 50;
const HEARTBEAT_MS = 20_000;
const POLL_AGAIN_MS = 10;
const TRY_AGAIN_MS = 250;
const ANSWER_WITHIN_MS = 30_000;
const PUBLIC_KEY = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
};
const jobsSchema = z.object({ jobs: z.array(jobSchema) });

/** An agent whose actions take no time. It repeats each call until the service answers. */
export class FloodAgent {
  /** All jobs that it was given, by lease. */
  readonly jobs = new Map<string, AgentJob>();
  /** Why its calls failed, with their number. */
  readonly failures: Record<string, number> = {};
  readonly #url: string;
  readonly #key: string;
  readonly #session: string;
  readonly #stopped = new AbortController();
  readonly #loops: Promise<unknown>;

  private constructor(url: string, key: string, session: string) {
    this.#url = url;
    this.#key = key;
    this.#session = session;
    this.#loops = Promise.all([this.#work(), this.#beat()]);
  }

  static async start(url: string, admin: Admin, poolId: string): Promise<FloodAgent> {
    const body = { name: poolId, poolId };
    const { apiKey } = await admin.call("POST", "/agents", body, z.object({ apiKey: z.string() }));
    const registration = {
      protocol: 1,
      name: poolId,
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
    const shape = registerResponseSchema;
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const { session } = await send({ url, key: apiKey, path: "/register", body: registration, shape, signal });
    return new FloodAgent(url, apiKey, session);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loops;
  }

  get #open(): AgentJob[] {
    return [...this.jobs.values()].filter(({ ack }) => ack === null || ack === "retry");
  }

  async #work(): Promise<void> {
    const reports = new Set<Promise<void>>();
    while (!this.#stopped.signal.aborted) {
      const fresh = await this.#poll().catch(() => null);
      if (fresh === null) await Bun.sleep(TRY_AGAIN_MS);
      else if (fresh.length === 0) await Bun.sleep(POLL_AGAIN_MS);
      else {
        // Reports run in parallel with the next poll, as in the agent.
        const report = this.#report(fresh);
        reports.add(report);
        void report.finally(() => reports.delete(report));
      }
    }
    await Promise.all(reports);
  }

  async #poll(): Promise<AgentJob[]> {
    const open = this.#open;
    const held = open.map(formatHeld).join(",");
    const path = `/jobs?capacity=${CAPACITY - open.length}&held=${held}`;
    const { jobs } = await this.#call(path, undefined, jobsSchema);
    const fresh = jobs.filter(({ lease }) => !this.jobs.has(lease)).map(agentJob);
    for (const job of fresh) this.jobs.set(job.lease, job);
    return fresh;
  }

  async #report(jobs: readonly AgentJob[]): Promise<void> {
    const at = new Date().toISOString();
    const output = { exitCode: 0, stdout: "done\n", stderr: "" };
    const result = { status: "succeeded", output, startedAt: at, finishedAt: at };
    let open = [...jobs];
    while (open.length > 0 && !this.#stopped.signal.aborted) {
      const results = open.map(({ jobId, lease }) => ({ jobId, lease, ...result }));
      const answer = await this.#call("/results", { results }, resultsResponseSchema).catch(() => null);
      for (const { ack, lease } of answer?.acks ?? []) {
        const job = this.jobs.get(lease);
        if (job === undefined || ack === "retry") continue;
        job.ack = ack;
        job.ackedAt = performance.now();
      }
      open = open.filter(({ ack }) => ack === null);
      if (open.length > 0) await Bun.sleep(TRY_AGAIN_MS);
    }
  }

  async #beat(): Promise<void> {
    const stopped = new Promise((resolve) => this.#stopped.signal.addEventListener("abort", resolve, { once: true }));
    while (!this.#stopped.signal.aborted) {
      const held = this.#open.map(formatHeld);
      const body = { held, load: held.length, version: "1", credentials: [] };
      await this.#call("/heartbeat", body, z.unknown()).catch(() => undefined);
      await Promise.race([stopped, Bun.sleep(HEARTBEAT_MS)]);
    }
  }

  async #call<T>(path: string, body: unknown, shape: z.ZodType<T>): Promise<T> {
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    try {
      return await send({ url: this.#url, key: this.#key, session: this.#session, path, body, shape, signal });
    } catch (error) {
      const reason = `${path.split("?", 1)[0]}: ${reasonOf(error)}`;
      if (!this.#stopped.signal.aborted) this.failures[reason] = (this.failures[reason] ?? 0) + 1;
      throw error;
    }
  }
}

function agentJob({ id, lease, values }: Job): AgentJob {
  return { jobId: id, lease, mark: values["MARK"] ?? "", ack: null, ackedAt: null };
}

async function send<T>(call: {
  url: string;
  key: string;
  session?: string | null;
  path: string;
  body: unknown;
  shape: z.ZodType<T>;
  signal: AbortSignal;
}): Promise<T> {
  const { url, key, session = null, path, body, shape, signal } = call;
  const response = await fetch(`${url}${AGENT_API_PATH}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      ...(session === null ? {} : { [SESSION_HEADER]: session }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${codeIn(answer)}`);
  return z.object({ data: shape }).parse(answer).data;
}
