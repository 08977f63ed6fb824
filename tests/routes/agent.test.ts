import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { problemSchema } from "../../schema/contract/problem.ts";
import { AgentClient, jobsPath, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { call, createAgent, createConnection } from "../support/management.ts";
import { enqueueJob } from "../support/dispatcher-object.ts";
import { query } from "../support/database.ts";
import { onlyOnOurServer } from "../support/test-database.ts";

let bellhop: Bellhop;
let pools = 0;

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(async () => {
  await bellhop?.stop();
});

async function newAgent(poolId = `r-${++pools}`) {
  const { agent, apiKey } = await createAgent(bellhop, { name: "given by people", poolId });
  return { id: agent.id, poolId, client: new AgentClient(bellhop, apiKey) };
}

async function problemOf(response: Response | Promise<Response>) {
  const answer = await response;
  expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
  const problem = problemSchema.parse(await answer.json());
  expect(problem.status).toBe(answer.status);
  return problem;
}

const counting = onlyOnOurServer("only our server counts its statements");

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before = bellhop.libsql.statementCount();
  await work();
  return bellhop.libsql.statementCount() - before;
}

describe("registering", () => {
  test("returns the agent's id and pool, stores what it reports, and keeps the name that people gave it", async () => {
    const { id, poolId, client } = await newAgent();
    expect(
      await client.register({
        capabilities: ["script", "teleport"],
        features: ["namedValues"],
        actions: ["script.bash", "redis.get"],
        somethingNew: true,
      }),
    ).toMatchObject({
      agentId: id,
      poolId,
      enabled: true,
    });
    const record = await (await bellhop.api("GET", `/api/v1/automation/agents/${id}`)).json();
    expect(record).toMatchObject({
      data: {
        name: "given by people",
        status: "Online",
        healthScore: 100,
        registration: {
          name: "host-1",
          version: "1.2.3",
          capabilities: ["script"],
          features: ["namedValues"],
          actions: ["script.bash", "redis.get"],
          // The thumbprint of the key of RFC 7515, A.3, computed by a separate program.
          fingerprint: "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U",
        },
      },
    });
  });

  test("lists every problem with its path", async () => {
    const { client } = await newAgent();
    const problem = await problemOf(
      client.send("POST", "/register", client.registration({ os: "plan9", maxConcurrentJobs: 51, instanceId: "a:b" })),
    );
    expect([problem.status, problem.code]).toEqual([400, "invalid_request"]);
    expect(problem.errors?.map(({ path }) => path).toSorted()).toEqual(["instanceId", "maxConcurrentJobs", "os"]);
  });
});

describe("an agent's key", () => {
  test("is required by every call, before anything of the call is read", async () => {
    const { client } = await newAgent();
    for (const [method, path] of CALLS) {
      const problem = await problemOf(
        client.send(method, path, method === "GET" ? undefined : {}, { Authorization: "" }),
      );
      expect([path, problem.status, problem.code]).toEqual([path, 401, "unauthorized"]);
    }
  });

  counting("costs no query when it is guessed", async () => {
    const { client } = await newAgent();
    const [prefix = "", secret = ""] = client.key.split("_");
    const guesses = [
      `${prefix}_${"A".repeat(43)}`,
      `${prefix}_${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`,
      `bh${"0".repeat(10)}_${secret}`,
      "nonsense",
    ];
    const count = await statementsOf(async () => {
      for (const guess of guesses) {
        const problem = await problemOf(
          client.send("GET", jobsPath(), undefined, { Authorization: `Bearer ${guess}` }),
        );
        expect(problem.code).toBe("unauthorized");
      }
    });
    expect(count).toBe(0);
  });

  counting("is refused with the next call after it was regenerated, although it is in the cache", async () => {
    const { id, client } = await newAgent();
    await client.register();
    await client.poll();
    const renewed = await call(
      bellhop,
      "POST",
      `/agents/${id}/regenerate-key`,
      undefined,
      z.object({ apiKey: z.string() }),
    );
    expect((await problemOf(client.send("GET", jobsPath()))).code).toBe("unauthorized");
    const refusedAgain = await statementsOf(async () => {
      expect((await problemOf(client.send("GET", jobsPath()))).status).toBe(401);
    });
    expect(refusedAgain).toBe(0);
    client.key = renewed.apiKey;
    await client.register();
    expect(await client.poll()).toEqual({ jobs: [], cancelled: [] });
  });

  test("is refused with the next call after its agent was deleted", async () => {
    const { id, client } = await newAgent();
    await client.register();
    await client.poll();
    expect((await bellhop.api("DELETE", `/api/v1/automation/agents/${id}`)).status).toBe(200);
    expect((await problemOf(client.send("GET", jobsPath()))).code).toBe("unauthorized");
    expect((await problemOf(client.send("POST", "/register", client.registration()))).code).toBe("unauthorized");
  });
});

describe("a disabled agent", () => {
  test("gets no job, learns its state from its next heartbeat, and continues once it is enabled", async () => {
    const { id, poolId, client } = await newAgent();
    await client.register();
    await client.poll();
    const connectionId = await createConnection(bellhop, { type: "script", poolId });
    expect((await bellhop.api("POST", `/api/v1/automation/agents/${id}/disable`)).status).toBe(200);
    await enqueueJob(bellhop, `job_of_${poolId}`, { connectionId, poolObject: `pool:${poolId}` });
    expect((await client.poll()).jobs).toEqual([]);
    expect((await client.heartbeat()).enabled).toBe(false);
    expect((await bellhop.api("POST", `/api/v1/automation/agents/${id}/enable`)).status).toBe(200);
    expect((await client.heartbeat()).enabled).toBe(true);
    expect((await client.poll()).jobs).toHaveLength(1);
  });
});

describe("an agent's session", () => {
  test("that is missing, forged or another agent's gets register_again", async () => {
    const { client } = await newAgent();
    const { client: other } = await newAgent();
    await other.register();
    await client.register();
    for (const session of [null, "forged", other.session]) {
      client.session = session;
      const problem = await problemOf(client.send("GET", jobsPath()));
      expect([problem.status, problem.code]).toEqual([409, "register_again"]);
    }
  });
});

describe("idle agents", () => {
  counting("cause no libSQL statement in two thousand calls, except the flush of their presence", async () => {
    const { client } = await newAgent();
    await client.register();
    await client.poll();
    const count = await statementsOf(async () => {
      for (let n = 0; n < 100; n += 1) {
        await Promise.all(Array.from({ length: 10 }, () => Promise.all([client.poll(), client.heartbeat()])));
      }
    });
    // Other agents of this file may be flushed meanwhile: one statement per pool every 8 s.
    expect(count).toBeLessThanOrEqual(2 * pools);
  });

  test("have their heartbeats flushed to libSQL within seconds", async () => {
    const { id, client } = await newAgent();
    await client.register();
    const flushed = await eventually(
      "the heartbeat is in libSQL",
      async () =>
        (await query(bellhop, "SELECT last_heartbeat_at FROM agents WHERE id = ?", [id]))[0]?.["last_heartbeat_at"],
      30_000,
    );
    expect(Number(flushed)).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe("the agent's calls", () => {
  test("have queries, bodies, types and sizes checked, each with its own problem", async () => {
    const { client } = await newAgent();
    await client.register();
    const cases: [Promise<Response>, number, string, string[]][] = [
      [client.send("GET", "/jobs?held=job_1"), 400, "invalid_request", ["capacity", "held.0"]],
      [client.send("GET", "/jobs?capacity=-1"), 400, "invalid_request", ["capacity"]],
      [client.send("POST", "/results", { results: [] }), 400, "invalid_request", ["results"]],
      [client.send("POST", "/results", { results: [{ jobId: "j" }] }), 400, "invalid_request", ["results.0.lease"]],
      [client.send("POST", "/heartbeat", { held: ["x"], load: 0, version: "1" }), 400, "invalid_request", ["held.0"]],
      [client.send("POST", "/results", {}, { "Content-Type": "text/plain" }), 415, "unsupported_media_type", []],
      [client.send("POST", "/results", { results: "x".repeat(33 * 1_024 * 1_024) }), 413, "payload_too_large", []],
      [client.send("DELETE", "/jobs"), 405, "method_not_allowed", []],
      [client.send("GET", "/register"), 405, "method_not_allowed", []],
    ];
    for (const [sent, status, code, paths] of cases) {
      const problem = await problemOf(sent);
      expect([problem.status, problem.code]).toEqual([status, code]);
      expect(problem.errors?.map(({ path }) => path) ?? []).toEqual(expect.arrayContaining(paths));
    }
  });

  test("get {success, data} with Cache-Control: no-store", async () => {
    const { client } = await newAgent();
    await client.register();
    for (const [method, path, body] of ANSWERED) {
      const answer = await client.send(method, path, body);
      expect([path, answer.status, answer.headers.get("Cache-Control")]).toEqual([path, 200, "no-store"]);
      expect(await answer.json()).toMatchObject({ success: true, data: {} });
    }
  });
});

test("while the database is down, known agents are served and others get 503", async () => {
  const { client } = await newAgent();
  const { client: unknown } = await newAgent();
  await client.register();
  await bellhop.stopLibsql();
  try {
    expect(await client.poll()).toEqual({ jobs: [], cancelled: [] });
    const problem = await problemOf(unknown.send("POST", "/register", unknown.registration()));
    expect([problem.status, problem.code]).toEqual([503, "unavailable"]);
  } finally {
    await bellhop.startLibsql();
  }
  expect(await unknown.register()).toMatchObject({ enabled: true });
});

test("a deregistered agent is offline immediately, and its next registration brings it back", async () => {
  const { id, client } = await newAgent();
  await client.register();
  const statusOf = async () =>
    (await call(bellhop, "GET", `/agents/${id}`, undefined, z.object({ status: z.string() }))).status;
  expect(await statusOf()).toBe("Online");
  expect((await client.send("POST", "/offline", { held: [] })).status).toBe(200);
  expect(await statusOf()).toBe("Offline");
  await client.register();
  expect(await statusOf()).toBe("Online");
});

test("an output of the largest size that the contract allows arrives whole", async () => {
  const { poolId, client } = await newAgent();
  await client.register();
  const connectionId = await createConnection(bellhop, { type: "script", poolId });
  const jobId = `job_large_${poolId}`;
  await enqueueJob(bellhop, jobId, { connectionId, poolObject: `pool:${poolId}` });
  const [job] = (await client.poll()).jobs;
  if (job === undefined) throw new Error("the poll brought no job");
  const stdout = "é".repeat(128 * 1_024);
  expect(await client.report(success(job, { stdout }))).toEqual(["accepted"]);
  const [record] = await query(bellhop, "SELECT output FROM jobs WHERE id = ?", [jobId]);
  expect(record).toEqual({ output: JSON.stringify({ stdout }) });
});

const CALLS: [string, string][] = [
  ["POST", "/register"],
  ["GET", "/jobs?capacity=1"],
  ["POST", "/results"],
  ["POST", "/heartbeat"],
  ["POST", "/offline"],
];

const ANSWERED: [string, string, unknown?][] = [
  ["GET", "/jobs?capacity=1"],
  ["POST", "/heartbeat", { held: [], load: 0, version: "1" }],
  [
    "POST",
    "/results",
    { results: [{ jobId: "j", lease: "l", status: "failed", finishedAt: "2026-01-05T12:00:00.000Z" }] },
  ],
  ["POST", "/offline", {}],
];
