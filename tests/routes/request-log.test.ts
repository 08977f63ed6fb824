import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { problemSchema } from "../../schema/contract/problem.ts";
import { endpoints } from "../../worker/routes/endpoints.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  call,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
} from "../support/management.ts";

const lines: string[] = [];
let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop({
    bindings: {
      LOG_LEVEL: "DEBUG",
      TRUSTED_REQUEST_ID_HEADER: "X-Proxy-Id",
      METRICS_TOKEN: "canary-metrics-token",
      NOTIFY_WEBHOOK_SECRET: `whsec_${btoa("canary-notification-secret-0123")}`,
    },
    onLogLine: (line) => void lines.push(line),
  });
});
afterAll(() => bellhop.stop());
beforeEach(startAnew);

const lineSchema = z
  .object({ level: z.enum(["DEBUG", "INFO", "WARNING", "ERROR"]), message: z.string() })
  .catchall(z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** Forgets all lines so far. A request's line can come after its answer, so this waits for that of a last request. */
async function startAnew(): Promise<void> {
  await lineOf(requestIdOf(await fetch(`${bellhop.url}/healthz`)));
  lines.splice(0);
}

/** Every line that the service wrote; workerd's lines are not JSON. */
function logged() {
  return lines.filter((line) => line.startsWith("{")).map((line) => lineSchema.parse(JSON.parse(line)));
}

function lineOf(requestId: string) {
  return eventually(`the line of request ${requestId}`, () =>
    logged().find((line) => line["requestId"] === requestId && line["route"] !== undefined),
  );
}

function requestIdOf(response: Response): string {
  const id = response.headers.get("X-Request-Id");
  if (id === null) throw new Error("the answer has no X-Request-Id");
  return id;
}

describe("a request's id", () => {
  test("is generated when no trusted proxy gives one, and is in the response, the problem and the log", async () => {
    const response = await bellhop.api("GET", "/api/v1/automation/agents/agt_none", undefined, {
      "X-Request-Id": "my-own",
      "CF-Ray": "my-own",
    });
    const requestId = requestIdOf(response);
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/u);
    expect(problemSchema.parse(await response.json()).requestId).toBe(requestId);
    const line = await lineOf(requestId);
    expect(line).toMatchObject({
      level: "INFO",
      message: "a request was refused",
      method: "GET",
      route: "/api/v1/automation/agents/{id}",
      status: 404,
      code: "not_found",
    });
    expect(line["durationMs"]).toBeNumber();
  });

  test("is taken from the trusted proxy", async () => {
    const response = await fetch(`${bellhop.url}/healthz`, { headers: { "X-Proxy-Id": "ray-8f2c1a.FRA" } });
    expect(requestIdOf(response)).toBe("ray-8f2c1a.FRA");
    expect(await lineOf("ray-8f2c1a.FRA")).toMatchObject({ level: "DEBUG", route: "/healthz", status: 200 });
  });

  test.each([["with spaces in it"], ["x".repeat(129)], ['quote"brace}']])(
    "is generated when the proxy's is invalid: %s",
    async (id) => {
      const response = await fetch(`${bellhop.url}/healthz`, { headers: { "X-Proxy-Id": id } });
      expect(requestIdOf(response)).toMatch(/^[0-9a-f-]{36}$/u);
    },
  );

  test("is logged for unknown addresses, without any part of the path", async () => {
    const response = await fetch(`${bellhop.url}/nothing/canary-in-a-path`);
    expect(response.status).toBe(404);
    expect(await lineOf(requestIdOf(response))).toMatchObject({ route: null, status: 404, code: "not_found" });
    expect(lines.join("\n")).not.toContain("canary-in-a-path");
  });
});

test("an execution's id finds every line of a webhook: the request, its steps, the agent's calls", async () => {
  const poolId = "followed";
  const connectionId = await createConnection(bellhop, { type: "script", poolId });
  const { agent, apiKey } = await createAgent(bellhop, { poolId });
  const webhook = await createWebhookWorkflow(bellhop, {
    nodes: [{ id: "run", type: "action", action: "script.bash", connectionId, params: { script: "true" } }],
    edges: [],
  });
  const client = new AgentClient(bellhop, apiKey);
  await client.register();
  await startAnew();
  const response = await webhook.ring({ variables: {} });
  const requestId = requestIdOf(response);
  const executionId = await acceptedId(response);
  const job = await eventually("the job", async () => (await client.poll()).jobs[0]);
  await client.report(success(job));
  await ended(bellhop, executionId);

  expect(await lineOf(requestId)).toMatchObject({ level: "INFO", executionId, status: 200 });
  const steps = () => logged().filter((line) => line["executionId"] === executionId && line["event"] !== undefined);
  await eventually("both steps", () => steps().length >= 2);
  expect(steps()[0]).toMatchObject({ event: "started", workflowId: webhook.workflowId, orderedJobIds: job.id });
  expect(steps()[1]).toMatchObject({
    event: "jobFinished",
    status: "succeeded",
    endedJobId: job.id,
    jobStatus: "succeeded",
    agentId: agent.id,
  });
  const route = "/api/v1/agent";
  const ofJob = await eventually("the poll that gave the job, and its result", () => {
    const found = logged().filter((line) => line["jobIds"] === job.id);
    return found.length >= 2 && found;
  });
  expect(ofJob.map((line) => [line["route"], line["level"], line["agentId"]])).toEqual([
    [`${route}/jobs`, "INFO", agent.id],
    [`${route}/results`, "INFO", agent.id],
  ]);
});

test("idle polls, heartbeats and reads are logged at DEBUG only", async () => {
  const { apiKey } = await createAgent(bellhop, { poolId: "idle" });
  const client = new AgentClient(bellhop, apiKey);
  await client.register();
  await startAnew();
  await client.poll();
  await client.heartbeat();
  await bellhop.api("GET", "/api/v1/automation/agents");
  const done = await bellhop.api("POST", "/api/v1/automation/incidents", { title: "Last", severity: "low" });
  await lineOf(requestIdOf(done));
  expect(logged().map((line) => [line["route"], line.level])).toEqual([
    ["/api/v1/agent/jobs", "DEBUG"],
    ["/api/v1/agent/heartbeat", "DEBUG"],
    ["/api/v1/automation/agents", "DEBUG"],
    ["/api/v1/automation/incidents", "INFO"],
  ]);
});

test("a poll without a session is logged at DEBUG only, because the agent registers next; a refused key at INFO", async () => {
  const { apiKey } = await createAgent(bellhop, { poolId: "unregistered" });
  const poll = async (key: string) =>
    lineOf(requestIdOf(await new AgentClient(bellhop, key).send("GET", "/jobs?capacity=0&held=")));
  expect(await poll(apiKey)).toMatchObject({ level: "DEBUG", status: 409, code: "register_again" });
  expect(await poll("wrong")).toMatchObject({ level: "INFO", status: 401, code: "unauthorized" });
});

test("a flood of refusals does not fill the log", async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(`${bellhop.url}/api/v1/automation/users`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  const last = await bellhop.api("GET", "/api/v1/automation/users");
  await lineOf(requestIdOf(last));
  const refused = logged().filter((line) => line["route"] === "/api/v1/automation/users" && line["status"] === 401);
  expect(refused.length).toBeGreaterThan(0);
  // Two minutes' quota, in case a minute ends meanwhile.
  expect(refused.length).toBeLessThanOrEqual(60);
});

describe("no log line has a secret", () => {
  test("when it is sent to any endpoint in any place", async () => {
    const { apiKey } = await createAgent(bellhop);
    const webhook = await createWebhookWorkflow(bellhop, {
      nodes: [{ id: "w", type: "delay", seconds: 1 }],
      edges: [],
    });
    const integration = await call(
      bellhop,
      "POST",
      "/integrations",
      { name: "an integration", kind: "alertmanager" },
      z.object({ url: z.string() }),
    );
    const integrationKey = new URL(integration.url).pathname.split("/").at(-1) ?? "";
    const secrets = {
      admin: bellhop.adminToken,
      server: bellhop.serverSecret,
      apiKey: apiKey.slice(apiKey.indexOf("_") + 1),
      webhookKey: webhook.webhookKey,
      webhookSecret: webhook.webhookSecret,
      integrationKey: integrationKey.slice(integrationKey.indexOf("_") + 1),
      madeUp: "canary-that-a-person-typed",
      metrics: "canary-metrics-token",
    };
    const values = Object.values(secrets);
    await startAnew();
    for (const { operation } of endpoints) {
      for (const secret of values) {
        const isBodied = operation.method !== "GET" && operation.method !== "DELETE";
        const path = operation.path.replaceAll(/\{\w+\}/gu, encodeURIComponent(secret));
        const response = await fetch(`${bellhop.url}${path}?token=${secret}&cursor=${secret}`, {
          method: operation.method,
          redirect: "manual",
          headers: {
            Authorization: `Bearer ${secret}`,
            "Bellhop-Session": secret,
            "X-Idempotency-Key": secret,
            "User-Agent": secret,
            Cookie: `bellhop_session=${secret}`,
            ...(isBodied ? { "Content-Type": "application/json" } : {}),
          },
          ...(isBodied ? { body: JSON.stringify({ password: secret, secrets: { token: secret }, name: secret }) } : {}),
          signal: AbortSignal.timeout(20_000),
        });
        await response.body?.cancel();
      }
    }
    await webhook.ring({ variables: { password: secrets.madeUp } });
    await lineOf(requestIdOf(await bellhop.api("GET", "/api/v1/automation/users")));
    expect(logged().length).toBeGreaterThan(100);
    const refused = logged().filter(({ message }) => message === "a request was refused");
    expect(refused.filter(({ code }) => typeof code !== "string")).toEqual([]);
    const text = lines.join("\n");
    expect(Object.entries(secrets).flatMap(([name, value]) => (text.includes(value) ? [name] : []))).toEqual([]);
  });

  test("when the database fails", async () => {
    await bellhop.stopLibsql();
    try {
      const response = await bellhop.api("POST", "/api/v1/automation/incidents", {
        title: "canary-in-a-parameter",
        severity: "low",
      });
      expect(response.status).toBe(503);
      const line = await lineOf(requestIdOf(response));
      expect(line).toMatchObject({ level: "WARNING", message: "a request failed", error: expect.any(String) });
      expect(String(line["error"])).not.toContain("Failed query");
      expect(String(line["error"]).length).toBeLessThan(300);
      expect(logged().filter((other) => other["requestId"] === requestIdOf(response))).toEqual([line]);
      expect(lines.join("\n")).not.toContain("canary-in-a-parameter");
    } finally {
      await bellhop.startLibsql();
    }
  });
});
