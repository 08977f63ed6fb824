import { z } from "zod";
import {
  AGENT_API_PATH,
  AGENT_FEATURES,
  SESSION_HEADER,
  formatHeld,
  heartbeatResponseSchema,
  jobSchema,
  jobsResponseSchema,
  leaseRefSchema,
  registerResponseSchema,
  resultsResponseSchema,
} from "../../schema/contract/agent.ts";
import type { Ack, Job, JobResult, LeaseRef, RegisterResponse } from "../../schema/contract/agent.ts";
import type { Service } from "./bellhop.ts";
import { NEW_CONNECTION } from "./new-connection.ts";

const PUBLIC_KEY = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
} as const;

const jobsSchema = z.object({ jobs: z.array(jobSchema), cancelled: z.array(leaseRefSchema) });
let instances = 0;

/**
 * An agent that follows only its contract, as any program could that speaks the protocol
 * (docs/design/agent-protocol.md#calls).
 */
export class AgentClient {
  readonly bellhop: Pick<Service, "url">;
  key: string;
  session: string | null = null;
  instanceId = `instance-${++instances}`;
  journalId = `journal-${instances}`;

  constructor(bellhop: Pick<Service, "url">, key: string) {
    this.bellhop = bellhop;
    this.key = key;
  }

  /** One raw call; the answer is not checked. */
  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.bellhop.url}${AGENT_API_PATH}${path}`, {
      ...NEW_CONNECTION,
      method,
      headers: {
        Authorization: `Bearer ${this.key}`,
        ...(this.session === null ? {} : { [SESSION_HEADER]: this.session }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  registration(changes: Record<string, unknown> = {}) {
    return {
      protocol: 1,
      name: "host-1",
      version: "1.2.3",
      os: "linux",
      arch: "x64",
      capabilities: ["script", "ssh"],
      features: [...AGENT_FEATURES],
      publicKey: PUBLIC_KEY,
      maxConcurrentJobs: 5,
      pollIntervalSeconds: 5,
      instanceId: this.instanceId,
      journalId: this.journalId,
      ...changes,
    };
  }

  async register(changes: Record<string, unknown> = {}): Promise<RegisterResponse> {
    const answer = await dataOf(this.send("POST", "/register", this.registration(changes)), registerResponseSchema);
    this.session = answer.session;
    return answer;
  }

  async poll(held: LeaseRef[] = [], capacity = 5): Promise<{ jobs: Job[]; cancelled: LeaseRef[] }> {
    const answer = await dataOf(this.send("GET", jobsPath(held, capacity)), jobsResponseSchema);
    return jobsSchema.parse(answer);
  }

  async report(...results: JobResult[]): Promise<Ack[]> {
    const { acks } = await dataOf(this.send("POST", "/results", { results }), resultsResponseSchema);
    return results.map(({ jobId }) => acks.find((ack) => ack.jobId === jobId)?.ack ?? "unknown");
  }

  heartbeat(
    held: LeaseRef[] = [],
    credentials: { connectionId: string; version: number; target?: string | null; changedAt?: string }[] = [],
  ) {
    const body = { held: held.map(formatHeld), load: held.length, version: "1.2.3", credentials };
    return dataOf(this.send("POST", "/heartbeat", body), heartbeatResponseSchema);
  }
}

export function jobsPath(held: LeaseRef[] = [], capacity = 5): string {
  return `/jobs?capacity=${capacity}&held=${held.map(formatHeld).join(",")}`;
}

export function success({ id, lease }: Job, output: JobResult["output"] = { exitCode: 0 }): JobResult {
  const at = new Date().toISOString();
  return { jobId: id, lease, status: "succeeded", output, error: null, startedAt: at, finishedAt: at };
}

/** `data` of an answer that must be a success. */
async function dataOf<T>(response: Promise<Response>, shape: z.ZodType<T>): Promise<T> {
  const answer = await response;
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error(`answered ${answer.status}: ${JSON.stringify(body)}`);
  return z.object({ success: z.literal(true), data: shape }).parse(body).data;
}
