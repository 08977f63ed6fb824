import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import type { Operation } from "../../schema/contract/operation.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { operations, undescribed } from "../support/described.ts";
import { eventually } from "../support/eventually.ts";

/** Every response matches its description, field by field: nothing is missing, and nothing is added. */
let bellhop: Bellhop;
let client: AgentClient;
/** Ids of existing resources, by the name in their path. */
const there: Record<string, string> = {};

beforeAll(async () => {
  bellhop = await startBellhop();
  const { agent, apiKey } = agentAnswer.parse(
    await created("createAgent", { name: "web-1", description: "x", poolId: "web" }),
  );
  client = new AgentClient(bellhop, apiKey);
  await client.register();
  const connection = await created("createConnection", { name: "scripts", type: "script", poolId: "web" });
  there["agents"] = agent.id;
  there["pools"] = "web";
  there["connections"] = withId.parse(connection).id;
  there["workflows"] = withId.parse(await created("createWorkflow", draft())).id;
  await expectDescribed("publishWorkflow", { id: there["workflows"] });
  const started = await created("executeWorkflow", { variables: { text: "hi" } }, { id: there["workflows"] });
  there["executions"] = z.object({ executionId: z.string() }).parse(started).executionId;
  // These wait, run and have succeeded: the same responses are requested again in between.
  await expectDescribed("getExecution", { id: there["executions"] });
  const [job] = await eventually("the job", async () => {
    const { jobs } = await client.poll();
    return jobs.length > 0 ? jobs : null;
  });
  if (job === undefined) throw new Error("no job");
  there["jobs"] = job.id;
  await expectDescribed("getJob", { id: job.id });
  await expectDescribed("getPool", { id: "web" });
  await client.report(success(job, { stdout: "hi", stderr: "", exitCode: 0 }));
  there["incidents"] = withId.parse(await created("createIncident", { title: "Disk full", tags: { team: "a" } })).id;
  await created("createIntegration", { name: "alerts", kind: "alertmanager" });
  const receiver = withId.parse(
    await created("createNotificationReceiver", { name: "mail", type: "email", to: "ada@example.com" }),
  ).id;
  there["notification-receivers"] = receiver;
  there["notification-rules"] = withId.parse(
    await created("createNotificationRule", { name: "failures", on: "run_failed", receivers: [receiver] }),
  ).id;
  await created("createUser", {
    email: "ada@example.com",
    name: "Ada",
    role: "admin",
    password: "correct horse battery",
  });
});
afterAll(() => bellhop.stop());

const draft = () => ({
  name: "say",
  description: "x",
  trigger: { type: "manual", inputs: { text: { type: "string", required: true } } },
  definition: {
    nodes: [
      {
        id: "say",
        type: "action",
        action: "script.bash",
        connectionId: there["connections"],
        params: { script: "id" },
      },
      {
        id: "each",
        type: "forEach",
        items: "{{nodes.say.output.json.list}}",
        body: { nodes: [{ id: "wait", type: "delay", seconds: 1 }], edges: [] },
      },
    ],
    edges: [{ from: "say", to: "each", on: "success" }],
  },
});

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

function call(operation: Operation, parameters: Record<string, string> = {}, body?: unknown): Promise<Response> {
  const path = operation.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => parameters[name] ?? "x");
  return bellhop.api(operation.method, path, body);
}

/** `data` of a successful response that matches its description. */
async function created(id: string, body?: unknown, parameters: Record<string, string> = {}): Promise<unknown> {
  const response = await call(operationOf(id), parameters, body);
  const copy = response.clone();
  expect(await undescribed(operationOf(id), response)).toEqual([]);
  if (!copy.ok) throw new Error(`${id} answered ${copy.status}: ${await copy.text()}`);
  return z.object({ data: z.unknown() }).parse(await copy.json()).data;
}

async function expectDescribed(id: string, parameters: Record<string, string>, body?: unknown): Promise<void> {
  const response = await call(operationOf(id), parameters, body);
  expect([id, response.ok]).toEqual([id, true]);
  expect(await undescribed(operationOf(id), response)).toEqual([]);
}

/** An event stream does not end. */
const reads = operations.filter(({ method, answer }) => method === "GET" && answer.kind !== "events");

describe("a read matches its description", () => {
  test.each(reads)("$id", async (operation) => {
    const resource = operation.path.split("/")[4] ?? "";
    const response = await call(operation, { id: there[resource] ?? "x" });
    expect(await undescribed(operation, response)).toEqual([]);
  });

  test.each(reads.filter(({ path }) => path.includes("{id}")))("$id, of an unknown id", async (operation) => {
    const response = await call(operation, { id: "nothing" });
    expect(response.status).toBe(404);
    expect(await undescribed(operation, response)).toEqual([]);
  });

  test("succeeds for most operations", async () => {
    const statuses = await Promise.all(
      reads.map(async (operation) => {
        const { status } = await call(operation, { id: there[operation.path.split("/")[4] ?? ""] ?? "x" });
        return [operation.id, status] as const;
      }),
    );
    const refused = statuses.filter(([, status]) => status >= 300).map(([id]) => id);
    expect(refused).toEqual(expect.arrayContaining(["pollJobs"]));
    expect(refused.length).toBeLessThan(statuses.length / 4);
  });
});

describe("a write matches its description", () => {
  test("when it edits, switches, creates keys, cancels and deletes", async () => {
    const { agents = "", connections = "", workflows = "", incidents = "" } = there;
    await expectDescribed("updateAgent", { id: agents }, { description: null });
    for (const id of ["disableAgent", "enableAgent"]) await expectDescribed(id, { id: agents });
    await expectDescribed("updateConnection", { id: connections }, { name: "other" });
    for (const id of ["disableConnection", "enableConnection"]) await expectDescribed(id, { id: connections });
    await expectDescribed("validateWorkflow", {}, draft());
    await expectDescribed("replaceWorkflow", { id: workflows }, { ...draft(), trigger: { type: "webhook" } });
    for (const id of [
      "publishWorkflow",
      "activateWorkflow",
      "deactivateWorkflow",
      "makeWebhookKey",
      "unpublishWorkflow",
    ]) {
      await expectDescribed(id, { id: workflows });
    }
    for (const id of ["acknowledgeIncident", "resolveIncident"]) await expectDescribed(id, { id: incidents });
    const other = withId.parse(await created("createWorkflow", { ...draft(), name: "other" })).id;
    await expectDescribed("deleteWorkflow", { id: other });
  });

  test("when it is a webhook or an agent's call", async () => {
    const { id } = withId.parse(await created("createWorkflow", { ...draft(), trigger: { type: "webhook" } }));
    const key = z
      .object({ webhookKey: z.string(), webhookSecret: z.string() })
      .parse(await created("makeWebhookKey", undefined, { id }));
    for (const verb of ["publishWorkflow", "activateWorkflow"]) await expectDescribed(verb, { id });
    const webhook = operationOf("triggerWebhook");
    const ring = () =>
      fetch(`${bellhop.url}${webhook.path.replace("{webhookKey}", key.webhookKey)}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key.webhookSecret}` },
      });
    for (const response of [await ring(), await ring()]) expect(await undescribed(webhook, response)).toEqual([]);
    const { jobs } = await client.poll();
    const held = jobs.map(({ id: jobId, lease }) => `${jobId}:${lease}`);
    const calls: [string, Promise<Response>][] = [
      ["registerAgent", client.send("POST", "/register", client.registration())],
      ["pollJobs", client.send("GET", `/jobs?capacity=5&held=${held.join(",")}`)],
      ["sendHeartbeat", client.send("POST", "/heartbeat", { held, load: 0, version: "1", credentials: [] })],
      [
        "reportResults",
        client.send("POST", "/results", {
          results: [{ jobId: "job_x", lease: "x", status: "failed", finishedAt: new Date().toISOString() }],
        }),
      ],
      ["reportResults", client.send("POST", "/results", {})],
      ["sayOffline", client.send("POST", "/offline", {})],
    ];
    for (const [id, response] of calls) expect(await undescribed(operationOf(id), await response)).toEqual([]);
  });

  test("when it is refused, with a described problem for every error", async () => {
    const writes = operations.filter(({ method, access }) => method !== "GET" && access !== "public");
    for (const operation of writes) {
      for (const body of [undefined, { nonsense: true }]) {
        expect(await undescribed(operation, await call(operation, {}, body))).toEqual([]);
      }
      const path = operation.path.replaceAll(/\{\w+\}/gu, "x");
      const anonymous = await fetch(`${bellhop.url}${path}`, { method: operation.method });
      expect(await undescribed(operation, anonymous)).toEqual([]);
    }
  });
});

test("an undescribed field and a missing field are found", async () => {
  const operation = operationOf("checkLiveness");
  const found = (body: unknown) => undescribed(operation, Response.json(body));
  expect(await found({ status: "ok", version: "1.2.3" })).toEqual([]);
  expect(await found({ status: "ok", version: "1.2.3", secret: 1 })).toEqual([
    "checkLiveness 200: /secret is not described",
  ]);
  expect(await found({ version: "1.2.3" })).toEqual(["checkLiveness 200: /status is missing"]);
  expect(await undescribed(operation, new Response("ok", { status: 201 }))).toEqual([
    "checkLiveness 201 is not described: ok",
  ]);
});

const withId = z.object({ id: z.string() });
const agentAnswer = z.object({ agent: withId, apiKey: z.string() });
