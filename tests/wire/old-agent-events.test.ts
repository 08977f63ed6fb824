import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { acceptedId, createAgent, createConnection, createWebhookWorkflow, ended } from "../support/management.ts";
import { recorded } from "../support/wire.ts";

/**
 * The rare exchanges of an agent of protocol 1 with today's service: cancels, tests, credentials, refusals, the wake
 * socket. Every value is a literal, as the first release writes it: values of the contract would change with it.
 */
let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const jobSchema = z.looseObject({ id: z.string(), lease: z.string(), kind: z.string() });
type Job = z.infer<typeof jobSchema>;
const answerSchema = z.object({
  data: z.looseObject({ session: z.string().optional(), jobs: z.array(jobSchema).optional() }),
});

class OldAgent {
  session = "";
  constructor(
    readonly id: string,
    readonly key: string,
  ) {}

  static async start(poolId: string): Promise<OldAgent> {
    const { agent, apiKey } = await createAgent(bellhop, { poolId });
    const old = new OldAgent(agent.id, apiKey);
    await old.register();
    return old;
  }

  async register(changes: Record<string, unknown> = {}): Promise<void> {
    const { request } = await recorded(1, "register");
    const body = { ...z.record(z.string(), z.json()).parse(request.body), ...changes };
    const answer = answerSchema.parse(await (await this.send("POST", "/register", body)).json());
    this.session = answer.data.session ?? "";
  }

  send(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${bellhop.url}/api/v1/agent${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        "bellhop-session": this.session,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async data(method: string, path: string, body?: unknown) {
    const response = await this.send(method, path, body);
    expect([path, response.status]).toEqual([path, 200]);
    return answerSchema.parse(await response.json()).data;
  }

  /** The next job that the agent gets. */
  job(): Promise<Job> {
    return eventually("a job", async () => (await this.data("GET", "/jobs?capacity=5&held=")).jobs?.[0]);
  }

  report({ id, lease }: Pick<Job, "id" | "lease">, result: Record<string, unknown>) {
    const at = new Date().toISOString();
    const whole = { jobId: id, lease, output: null, error: null, startedAt: at, finishedAt: at, ...result };
    return this.data("POST", "/results", { results: [whole] });
  }

  heartbeat(held: string[], credentials: unknown[] = []) {
    return this.data("POST", "/heartbeat", { held, load: held.length, version: "0.1.0", credentials });
  }
}

async function ring(poolId: string): Promise<string> {
  const connectionId = await createConnection(bellhop, { type: "script", poolId });
  const node = { id: "run", type: "action", action: "script.bash", connectionId, params: { script: "true" } };
  return acceptedId(await (await createWebhookWorkflow(bellhop, { nodes: [node], edges: [] })).ring({}));
}

test("an old agent gets a cancel by poll and heartbeat, and reports the job as cancelled", async () => {
  const agent = await OldAgent.start("cancelled");
  const executionId = await ring("cancelled");
  const job = await agent.job();
  await bellhop.api("POST", `/api/v1/automation/executions/${executionId}/cancel`, {});
  const held = `${job.id}:${job.lease}`;
  const ref = { jobId: job.id, lease: job.lease };
  const poll = `/jobs?capacity=4&held=${encodeURIComponent(held)}`;
  await eventually("the poll to return the cancel", async () => {
    const { cancelled } = await agent.data("GET", poll);
    return Array.isArray(cancelled) && cancelled.length > 0 && expect(cancelled).toEqual([ref]) === undefined;
  });
  expect((await agent.heartbeat([held]))["cancelled"]).toEqual([ref]);
  const error = { code: "cancelled", message: "The action was cancelled." };
  expect((await agent.report(job, { status: "cancelled", error }))["acks"]).toEqual([{ ...ref, ack: "accepted" }]);
  expect((await ended(bellhop, executionId)).status).toBe("cancelled");
});

test.each(["failed", "timed_out", "interrupted", "cancelled"])("an old agent reports that a job %s", async (status) => {
  const agent = await OldAgent.start(status);
  const executionId = await ring(status);
  const job = await agent.job();
  const { request } = await recorded(1, "results-failed");
  const old = z.object({ results: z.array(z.record(z.string(), z.json())) }).parse(request.body).results[0];
  const { output = null, error = null } = old ?? {};
  const ref = { jobId: job.id, lease: job.lease };
  expect((await agent.report(job, { status, output, error }))["acks"]).toEqual([{ ...ref, ack: "accepted" }]);
  expect(["failed", "cancelled"]).toContain((await ended(bellhop, executionId)).status);
});

test("an old agent's result gets its ack: duplicate, stale for another lease, unknown for an unknown job", async () => {
  const agent = await OldAgent.start("acks");
  const executionId = await ring("acks");
  const job = await agent.job();
  const ackOf = async (ref: Pick<Job, "id" | "lease">) =>
    z.array(z.looseObject({ ack: z.string() })).parse((await agent.report(ref, { status: "succeeded" }))["acks"])[0]
      ?.ack;
  expect(await ackOf({ ...job, lease: "another" })).toBe("stale");
  expect(await ackOf(job)).toBe("accepted");
  await ended(bellhop, executionId);
  expect(await ackOf(job)).toBe("duplicate");
  expect(await ackOf({ id: "job_none", lease: "none" })).toBe("unknown");
});

test("an old agent runs a connection's test, and its checks arrive", async () => {
  const agent = await OldAgent.start("tested");
  const connectionId = await createConnection(bellhop, { type: "script", poolId: "tested" });
  const tested = bellhop.api("POST", `/api/v1/automation/connections/${connectionId}/test`);
  const job = await agent.job();
  expect(job).toMatchObject({
    kind: "connectionTest",
    action: null,
    effect: "read",
    connection: { id: connectionId, type: "script", config: {} },
    params: {},
  });
  const checks = [{ name: "interpreter", ok: true, detail: "bash 5.2" }];
  await agent.report(job, { status: "succeeded", output: { ok: true, latencyMs: 12, checks } });
  expect(await (await tested).json()).toMatchObject({ data: { ok: true, latencyMs: 12, checks } });
});

test("an old agent gets a credential, reports it, and gets the order to delete it", async () => {
  const agent = await OldAgent.start("sealed");
  const config = { host: "10.0.0.1", username: "robot", authMethod: "password" };
  const connectionId = await createConnection(bellhop, { type: "ssh", config, poolId: "sealed" });
  // Only an agent can read its content; its form is that of any credential.
  const header = {
    alg: "ECDH-ES",
    enc: "A256GCM",
    epk: { kty: "EC", crv: "P-256", x: "A".repeat(43), y: "A".repeat(43) },
  };
  const jwe = `${btoa(JSON.stringify(header)).replaceAll("=", "")}..${"A".repeat(16)}.${"A".repeat(40)}.${"A".repeat(22)}`;
  const path = `/api/v1/automation/connections/${connectionId}`;
  const delivered = await bellhop.api("POST", `${path}/credentials`, { sealed: [{ agentId: agent.id, jwe }] });
  expect(delivered.status).toBe(202);
  const present = await agent.job();
  expect(present).toMatchObject({
    kind: "credentialSync",
    action: null,
    connection: { id: connectionId, type: "ssh" },
    params: { state: "present", version: 1, jwe },
  });
  await agent.report(present, { status: "succeeded", output: {} });
  await agent.heartbeat([], [{ connectionId, version: 1 }]);
  await bellhop.api("DELETE", path);
  const absent = await agent.job();
  expect(absent).toMatchObject({ kind: "credentialSync", params: { state: "absent" } });
});

test("an old agent knows the refusal of an invalid session, a second process and an invalid key", async () => {
  const refusal = async (refused: OldAgent) => {
    const response = await refused.send("POST", "/heartbeat", { held: [], load: 0, version: "0.1.0", credentials: [] });
    const { code } = z.looseObject({ code: z.string() }).parse(await response.json());
    return [response.status, code];
  };
  const agent = await OldAgent.start("refused");
  const { session } = agent;
  agent.session = "of-yesterday";
  expect(await refusal(agent)).toEqual([409, "register_again"]);
  await agent.register({ instanceId: "another-process" });
  agent.session = session;
  expect(await refusal(agent)).toEqual([409, "superseded"]);
  expect(await refusal(new OldAgent(agent.id, `${agent.key.slice(0, -1)}!`))).toEqual([401, "unauthorized"]);
});

test("an old agent is woken by its socket", async () => {
  const agent = await OldAgent.start("woken");
  const messages: string[] = [];
  const socket = new WebSocket(`${bellhop.url.replace("http", "ws")}/api/v1/agent/wake`, {
    headers: { authorization: `Bearer ${agent.key}`, "bellhop-session": agent.session },
  });
  const opened = Promise.withResolvers<void>();
  socket.addEventListener("open", () => opened.resolve());
  socket.addEventListener("close", ({ code }) => opened.reject(new Error(`closed with ${code}`)));
  socket.addEventListener("message", ({ data }) => messages.push(String(data)));
  await opened.promise;
  await ring("woken");
  await eventually("a message", () => messages.length > 0);
  expect(messages[0]).toBe("poll");
  socket.close();
});
