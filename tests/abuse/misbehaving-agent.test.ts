import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { AGENT_REGISTRATIONS_PER_MINUTE } from "../../schema/limits.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  chain,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
} from "../support/management.ts";
import { query } from "../support/database.ts";

const MIB = 1_024 * 1_024;
const refusalSchema = z.looseObject({ code: z.string() });

let bellhop: Bellhop;
/** The misbehaving agent, and one that works. */
let bad: AgentClient;
let good: AgentClient;
let agents = 0;
beforeAll(async () => {
  bellhop = await startBellhop();
  [bad, good] = await Promise.all([registered(), registered()]);
});
afterAll(() => bellhop.stop());

async function registered(poolId?: string): Promise<AgentClient> {
  agents += 1;
  const { apiKey } = await createAgent(bellhop, {
    name: `agent ${agents}`,
    ...(poolId === undefined ? {} : { poolId }),
  });
  const agent = new AgentClient(bellhop, apiKey);
  await agent.register();
  return agent;
}

async function refusal(response: Promise<Response>): Promise<[status: number, code: string]> {
  const answer = await response;
  return [answer.status, refusalSchema.parse(await answer.json()).code];
}

const list = (item: string, bytes: number) => `[${`${item},`.repeat(Math.floor(bytes / (item.length + 1)))}${item}]`;

/** Sends an unmodified body. */
function sendText(path: string, text: string): Promise<Response> {
  return fetch(`${bellhop.url}/api/v1/agent${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${bad.key}`,
      "Bellhop-Session": bad.session ?? "",
      "Content-Type": "application/json",
    },
    body: text,
  });
}

describe("an agent that registers in a loop", () => {
  test("is limited without a query or a write, and other agents register", async () => {
    const wild = await registered();
    const statuses: number[] = [];
    // The agent has registered once already.
    for (let sent = 1; sent < AGENT_REGISTRATIONS_PER_MINUTE; sent += 1) {
      statuses.push((await wild.send("POST", "/register", wild.registration())).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    await bellhop.stopLibsql();
    try {
      const response = await wild.send("POST", "/register", wild.registration());
      expect(response.status).toBe(429);
      expect(Number(response.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
      expect(await response.text()).toContain("Check its log for the reason");
      // The last accepted registration stays valid.
      expect(await wild.poll()).toEqual({ jobs: [], cancelled: [] });
    } finally {
      await bellhop.startLibsql();
    }
    await registered();
  });
});

describe("an agent's oversized request is refused:", () => {
  const requests: [title: string, path: string, body: () => string, status: number][] = [
    ["a registration of 1 MiB", "/register", () => `{"capabilities":${list('"x"', MIB)}}`, 413],
    ["a heartbeat of 8 MiB", "/heartbeat", () => `{"held":${list('"a:b"', 8 * MIB)}}`, 413],
    ["an offline call of 8 MiB", "/offline", () => `{"held":${list('"a:b"', 8 * MIB)}}`, 413],
    ["results of 20 MiB", "/results", () => `{"results":${list("{}", 20 * MIB)}}`, 413],
    ["results that are a million empty objects", "/results", () => `{"results":${list("{}", 3 * MIB)}}`, 400],
    ["100,000 leases", "/heartbeat", () => `{"held":${list('"a:b"', 600_000)},"load":0,"version":"1"}`, 400],
    [
      "100,000 credentials",
      "/heartbeat",
      () => `{"held":[],"load":0,"version":"1","credentials":${list('{"connectionId":"c","version":1}', 3_300_000)}}`,
      400,
    ],
    ["a body of unclosed brackets", "/results", () => `{"results":${"[".repeat(MIB)}`, 400],
  ];
  for (const [title, path, body, status] of requests) {
    test(title, async () => {
      const response = await sendText(path, body());
      expect(response.status).toBe(status);
      expect((await response.text()).length).toBeLessThan(100_000);
      expect(await good.poll()).toEqual({ jobs: [], cancelled: [] });
    });
  }
});

describe("an invalid registration is refused and changes nothing:", () => {
  const wrong: [title: string, changes: Record<string, unknown>][] = [
    ["a public key of another curve", { publicKey: { kty: "EC", crv: "P-384", x: "a", y: "b" } }],
    ["a public key that is a text", { publicKey: "junk" }],
    ["a private key for a public one", { publicKey: { kty: "oct", k: "secret" } }],
    ["capabilities of garbage", { capabilities: [1, null, {}] }],
    ["a million concurrent jobs", { maxConcurrentJobs: 1_000_000 }],
    ["a negative poll interval", { pollIntervalSeconds: -1 }],
    ["an instance that is a path", { instanceId: "../../etc" }],
    ["a protocol of zero", { protocol: 0 }],
  ];
  for (const [title, changes] of wrong) {
    test(title, async () => {
      expect(await refusal(bad.send("POST", "/register", bad.registration(changes)))).toEqual([400, "invalid_request"]);
      expect(await bad.poll()).toEqual({ jobs: [], cancelled: [] });
    });
  }

  test("unknown capabilities are dropped, and the agent is admitted", async () => {
    await bad.register({ capabilities: ["script", "teleport", "x".repeat(64)] });
    const rows = await query(bellhop, "SELECT registration FROM agents WHERE registration LIKE '%teleport%'");
    expect(rows).toHaveLength(0);
  });
});

describe("an invalid heartbeat is refused:", () => {
  const base = { held: [], load: 0, version: "1" };
  for (const [title, body] of [
    ["a load below zero", { ...base, load: -1 }],
    ["a load that is a text", { ...base, load: "many" }],
    ["a lease that is a path", { ...base, held: ["../../x:y"] }],
    ["a credential's version of 10^300", { ...base, credentials: [{ connectionId: "c", version: 1e300 }] }],
    ["a version of 100,000 characters", { ...base, version: "1".repeat(100_000) }],
  ] as const) {
    test(title, async () => {
      expect(await refusal(bad.send("POST", "/heartbeat", body))).toEqual([400, "invalid_request"]);
    });
  }
});

describe("an agent that attacks another agent", () => {
  test("gets nothing with the other's session", async () => {
    const thief = await registered();
    thief.session = good.session;
    for (const [method, path, body] of [
      ["GET", "/jobs?capacity=5", undefined],
      ["POST", "/heartbeat", { held: [], load: 0, version: "1" }],
      ["POST", "/offline", { held: [] }],
    ] as const) {
      expect(await refusal(thief.send(method, path, body))).toEqual([409, "register_again"]);
    }
  });

  test("ends none of the other's jobs with a result, by a guessed or known lease", async () => {
    const [worker, thief] = await Promise.all([registered("shared"), registered("shared")]);
    const connectionId = await createConnection(bellhop, { type: "script", poolId: "shared" });
    const webhook = await createWebhookWorkflow(
      bellhop,
      chain([{ id: "only", action: "script.bash", connectionId, params: { script: "true" } }]),
    );
    const executionId = await acceptedId(await webhook.ring());
    // Both have room: the service chooses one.
    const [job, holder, other] = await eventually("the job", async () => {
      for (const [agent, rest] of [
        [worker, thief],
        [thief, worker],
      ] as const) {
        const [first] = (await agent.poll()).jobs;
        if (first !== undefined) return [first, agent, rest] as const;
      }
      return null;
    });
    expect(await other.report(success(job), { ...success(job), lease: "guess" })).not.toContain("accepted");
    expect((await holder.poll([{ jobId: job.id, lease: job.lease }])).cancelled).toEqual([]);
    expect(await holder.report(success(job))).toEqual(["accepted"]);
    expect((await ended(bellhop, executionId)).status).toBe("succeeded");
  });

  test("gets `unknown` for results of unknown jobs, which are not stored", async () => {
    const size = 10 * MIB;
    const at = new Date().toISOString();
    const output = { stdout: "x".repeat(size) };
    const result = {
      jobId: "job_none",
      lease: "none",
      status: "succeeded",
      output,
      error: null,
      startedAt: at,
      finishedAt: at,
    };
    const response = await bad.send("POST", "/results", { results: [result] });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: { acks: [{ jobId: "job_none", ack: "unknown" }] } });
  });
});

describe("a job's output", () => {
  test("larger than the limit fails the job with output_too_large, and the agent continues", async () => {
    const agent = await registered("large");
    const connectionId = await createConnection(bellhop, { type: "script", poolId: "large" });
    const webhook = await createWebhookWorkflow(
      bellhop,
      chain([{ id: "only", action: "script.bash", connectionId, params: { script: "true" } }]),
    );
    const executionId = await acceptedId(await webhook.ring());
    const job = await eventually("the job", async () => (await agent.poll()).jobs[0]);
    expect(await agent.report(success(job, { stdout: "x".repeat(10 * MIB) }))).toEqual(["accepted"]);
    const execution = await ended(bellhop, executionId);
    expect(execution).toMatchObject({ status: "failed", nodeRuns: [{ error: { code: "output_too_large" } }] });
    expect(await agent.poll()).toEqual({ jobs: [], cancelled: [] });
  });
});

test("an agent that polls eight times in parallel without pause does not delay another agent", async () => {
  const over = new AbortController();
  let polls = 0;
  const flood = Promise.all(
    Array.from({ length: 8 }, async () => {
      while (!over.signal.aborted) {
        const response = await bad.send("GET", "/jobs?capacity=5");
        await response.arrayBuffer();
        if (response.status !== 200) throw new Error(`answered ${response.status}`);
        polls += 1;
      }
    }),
  );
  for (let beat = 0; beat < 50; beat += 1) expect((await good.heartbeat()).enabled).toBe(true);
  over.abort();
  await flood;
  expect(polls).toBeGreaterThan(0);
});
