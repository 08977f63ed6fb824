import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { jobParametersSchema, jobViewSchema } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { validateAnswerSchema } from "../../schema/contract/dry-run.ts";
import { connectionTestSchema, lastTestAnswerSchema, laterTestSchema } from "../../schema/contract/management.ts";
import { success } from "../support/agent-client.ts";
import { call, createConnection, dataOf, errorPathsOf } from "../support/management-api.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";

/** Connections to several hosts, with an agent that would run anything: the service refuses on its own. */
let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.start();
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.agent.jobs.length = 0;
  bench.agent.does((job) => success(job));
});

const TARGETS = ["web-*.example.org", "db-1:8443"];
const SEVERAL = { targets: TARGETS, authType: "none" };
const ONE = { baseUrl: "https://web-1.example.org", authType: "none" };
const withId = z.object({ id: z.string() });

async function connectionTo(config: JsonObject): Promise<string> {
  return (await createConnection(bench.bellhop, { type: "http", config })).id;
}

function request(connectionId: string, target?: string, more: JsonObject = {}): JsonObject {
  const node = { id: "ask", type: "action", action: "http.request", connectionId, params: { path: "x" }, ...more };
  return target === undefined ? node : { ...node, target };
}

const graph = (...nodes: JsonObject[]): JsonObject => ({ nodes, edges: [] });
const save = (definition: JsonObject, trigger: JsonObject = { type: "manual" }) =>
  call(bench.bellhop, "POST", "/workflows", { name: "a workflow", trigger, definition });

/** How `ask` ended: the code of its failure, or its status. */
async function endOf(executionId: string): Promise<string> {
  const { status, error } = nodeRun(await bench.ended(executionId), "ask");
  return error?.code ?? status;
}

test.each<[what: string, config: JsonObject, path: string]>([
  ["neither a host nor targets", { authType: "none" }, "config.baseUrl"],
  ["both", { ...ONE, targets: TARGETS }, "config.targets"],
  ["a pattern that matches everything", { ...SEVERAL, targets: ["db-1", "*"] }, "config.targets.1"],
  ["no verification", { ...SEVERAL, verifySsl: false }, "config.verifySsl"],
])("a connection with %s is 400 with its path", async (_what, config, path) => {
  const body = { name: "hosts", type: "http", poolId: "p", config };
  expect(await errorPathsOf(await call(bench.bellhop, "POST", "/connections", body))).toEqual([path]);
  const id = await connectionTo(SEVERAL);
  expect(await errorPathsOf(await call(bench.bellhop, "PATCH", `/connections/${id}`, { config }))).toEqual([path]);
});

describe("saving a workflow on a connection to several hosts", () => {
  const PATH = "definition.nodes.0.target";
  test.each<[what: string, config: JsonObject, target: string | undefined, paths: string[]]>([
    ["no target", SEVERAL, undefined, [PATH]],
    ["a host that is not among them", SEVERAL, "evil.example", [PATH]],
    ["a host at another port", SEVERAL, "db-1", [PATH]],
    ["a pattern", SEVERAL, "web-*.example.org", [PATH]],
    ["an empty target", SEVERAL, "", [PATH]],
    ["a template without an end", SEVERAL, "{{inputs.host", [PATH]],
    ["a name that no step gives", SEVERAL, "{{nodes.none.output.body}}", [PATH]],
    ["a target on a connection to one host", ONE, "web-1.example.org", [PATH]],
    ["one of them", SEVERAL, "web-1.example.org", []],
    ["one of them, with its port", SEVERAL, "db-1:8443", []],
    ["a template", SEVERAL, "web-{{inputs.n}}.example.org", []],
  ])("with %s", async (_what, config, target, paths) => {
    const response = await save(graph(request(await connectionTo(config), target)));
    if (paths.length > 0) expect(await errorPathsOf(response)).toEqual(paths);
    else expect(response.status).toBe(201);
  });

  test("with a target of a notification without a connection", async () => {
    const params = { channel: "email", to: "a@example.org", subject: "x", message: "x" };
    const say = { id: "say", type: "action", action: "notification.sendNotification", params };
    expect((await save(graph(say))).status).toBe(201);
    expect(await errorPathsOf(await save(graph({ ...say, target: "web-1.example.org" })))).toEqual([PATH]);
  });

  test("with a sensitive value as the target is refused, because runs show it", async () => {
    const trigger = { type: "manual", inputs: { host: { type: "string", sensitive: true } } };
    const response = await save(graph(request(await connectionTo(SEVERAL), "{{inputs.host}}")), trigger);
    expect(await errorPathsOf(response)).toEqual([PATH]);
  });
});

describe("a run on a connection to several hosts", () => {
  test("gives the agent the target, and shows it with the job and its parameters", async () => {
    const run = await bench.run(graph(request(await connectionTo(SEVERAL), "{{inputs.host}}")), {
      host: " WEB-7.example.org\n",
    });
    expect(await endOf(run)).toBe("succeeded");
    const [job] = bench.agent.jobs;
    expect(job).toMatchObject({ target: "web-7.example.org", connection: { config: { targets: TARGETS } } });
    const path = `/jobs/${job?.id}`;
    expect(await bench.call("GET", path, undefined, jobViewSchema)).toMatchObject({ target: "web-7.example.org" });
    const shown = await bench.call("GET", `${path}/parameters`, undefined, jobParametersSchema);
    expect(shown).toMatchObject({ target: "web-7.example.org", params: { path: "x" } });
  });

  test("in a forEach goes to the host of each item, and an item that is not allowed fails alone", async () => {
    const connectionId = await connectionTo(SEVERAL);
    const items = '["web-1.example.org", "db-1:8443", "evil.example"]';
    const body = graph(request(connectionId, "{{foreach.item}}"));
    const run = await bench.run(graph({ id: "each", type: "forEach", items, continueOnError: true, body }));
    const ended = await bench.ended(run);
    expect(bench.agent.jobs.map(({ target }) => target).sort()).toEqual(["db-1:8443", "web-1.example.org"]);
    expect(nodeRun(ended, "ask", 2).error?.code).toBe("target_not_allowed");
    const metrics = await (await bench.bellhop.api("GET", "/metrics")).text();
    expect(metrics).toMatch(/^bellhop_targets_refused_total\{by="service"\} [1-9]$/mu);
  });

  test.each<[items: string, inputs: JsonObject]>([
    ['["{{inputs.host}}"]', { host: "WEB-SecretName.example.org" }],
    ['["web-{{inputs.host}}.example.org"]', { host: "secretname" }],
    ["{{inputs.host}}", { host: ["web-secretname.example.org"] }],
    ['["{{inputs.host}}"]', { host: "db-secretname.example.org" }],
  ])("shows no sensitive value that comes to the target through the items %j of a forEach", async (items, inputs) => {
    const body = graph(request(await connectionTo(SEVERAL), "{{foreach.item}}"));
    const type = typeof inputs["host"] === "string" ? "string" : "array";
    const trigger = { type: "manual", inputs: { host: { type, sensitive: true } } };
    const workflowId = await bench.publish(graph({ id: "each", type: "forEach", items, body }), trigger);
    const run = await bench.execute(workflowId, inputs);
    const ended = await bench.ended(run);
    const { jobId, error } = nodeRun(ended, "ask", 0);
    const shown = [ended];
    if (bench.agent.jobs.length > 0) {
      expect(bench.agent.jobs.map(({ target }) => target)).toEqual(["web-secretname.example.org"]);
      shown.push(await bench.call("GET", `/jobs/${jobId}`), await bench.call("GET", `/jobs/${jobId}/parameters`));
    } else {
      expect(error?.code).toBe("target_not_allowed");
    }
    expect(JSON.stringify(shown)).not.toMatch(/secretname/iu);
    expect(JSON.stringify(shown)).toContain("***");
  });

  test("of a retry hides what the first run's version marked as sensitive", async () => {
    const connectionId = await connectionTo(SEVERAL);
    const triggerWith = (sensitive: boolean) => ({ type: "manual", inputs: { host: { type: "string", sensitive } } });
    const workflowId = await bench.publish(graph(request(connectionId, "web-1.example.org")), triggerWith(true));
    const first = await bench.execute(workflowId, { host: "web-secretname.example.org" });
    await bench.ended(first);
    const definition = graph(request(connectionId, "{{inputs.host}}"));
    await bench.call("PUT", `/workflows/${workflowId}`, { name: "w", trigger: triggerWith(false), definition });
    await bench.call("POST", `/workflows/${workflowId}/publish`);
    const ended = await bench.ended(await bench.retry(first, { version: "published" }));
    expect(bench.agent.jobs.map(({ target }) => target)).toEqual(["web-1.example.org", "web-secretname.example.org"]);
    const { jobId } = nodeRun(ended, "ask");
    const shown = [await bench.call("GET", `/jobs/${jobId}`), await bench.call("GET", `/jobs/${jobId}/parameters`)];
    expect(JSON.stringify(shown)).not.toContain("secretname");
  });

  test.each([
    "evil.example",
    "web-1.example.org.evil.example",
    "web-1.example.org:8443",
    "*",
    "",
    "web-1.example.org@evil.example",
  ])("orders nothing for the target %j, and says which are allowed", async (host) => {
    const run = await bench.run(graph(request(await connectionTo(SEVERAL), "{{inputs.host}}")), { host });
    expect(await endOf(run)).toBe("target_not_allowed");
    expect(nodeRun(await bench.get(run), "ask").error?.message).toContain(TARGETS.join(", "));
    expect(bench.agent.jobs).toEqual([]);
  });

  test("of a version that was published before the connection changed fails before the agent gets it", async () => {
    const changes: [from: JsonObject, target: string | undefined, to: JsonObject, code: string][] = [
      [ONE, undefined, SEVERAL, "target_missing"],
      [SEVERAL, "web-1.example.org", ONE, "target_not_allowed"],
      [SEVERAL, "web-1.example.org", { ...SEVERAL, targets: ["web-2.example.org"] }, "target_not_allowed"],
    ];
    for (const [from, target, to, code] of changes) {
      const connectionId = await connectionTo(from);
      const workflowId = await bench.publish(graph(request(connectionId, target)));
      await bench.call("PATCH", `/connections/${connectionId}`, { config: to });
      expect(await endOf(await bench.execute(workflowId))).toBe(code);
    }
    expect(bench.agent.jobs).toEqual([]);
  });

  test("uses the present list of its connection, also directly after another run used the connection", async () => {
    const changes: [from: JsonObject, to: JsonObject][] = [
      [{ ...SEVERAL, targets: ["web-1.example.org"] }, SEVERAL],
      [ONE, SEVERAL],
    ];
    for (const [from, to] of changes) {
      const connectionId = await connectionTo(from);
      const definition = (host?: string) => graph(request(connectionId, host));
      expect(await endOf(await bench.run(definition(from === ONE ? undefined : "web-1.example.org")))).toBe(
        "succeeded",
      );
      await bench.call("PATCH", `/connections/${connectionId}`, { config: to });
      expect(await endOf(await bench.run(definition("web-2.example.org")))).toBe("succeeded");
    }
    // The other way: a step without a target.
    const connectionId = await connectionTo(SEVERAL);
    const workflowId = await bench.publish(graph(request(connectionId, "web-1.example.org")));
    expect(await endOf(await bench.execute(workflowId))).toBe("succeeded");
    await bench.call("PATCH", `/connections/${connectionId}`, { config: ONE });
    expect(await endOf(await bench.run(graph(request(connectionId))))).toBe("succeeded");
  });
});

describe("a test of a connection to several hosts", () => {
  const testOf = (id: string, query = "") =>
    call(bench.bellhop, "POST", `/connections/${id}/test?waitSeconds=0${query}`);
  async function tested(id: string, query = ""): Promise<string | null> {
    const { jobId } = await dataOf(await testOf(id, query), 202, laterTestSchema);
    return (await bench.call("GET", `/jobs/${jobId}`, undefined, jobViewSchema)).target;
  }

  test("goes to the first that is no pattern, or to the one that it names", async () => {
    const id = await connectionTo(SEVERAL);
    expect(await tested(id)).toBe("db-1:8443");
    expect(await tested(id, "&target=web-3.example.org")).toBe("web-3.example.org");
    expect(await tested(await connectionTo(ONE))).toBeNull();
  });

  test("says which host was tested, at once and later", async () => {
    const path = `/connections/${await connectionTo(SEVERAL)}/test`;
    const target = "web-3.example.org";
    expect(await bench.call("POST", `${path}?target=${target}`, undefined, connectionTestSchema)).toMatchObject({
      target,
    });
    expect(await bench.call("GET", path, undefined, lastTestAnswerSchema)).toMatchObject({ lastTest: { target } });
  });

  test.each<[what: string, config: JsonObject, query: string]>([
    ["a host that is not among them", SEVERAL, "&target=evil.example"],
    ["no host where there are only patterns", { ...SEVERAL, targets: ["*.example.org"] }, ""],
    ["an empty target", SEVERAL, "&target="],
    ["a target on a connection to one host", ONE, "&target=web-1.example.org"],
  ])("with %s is 400 with its path", async (_what, config, query) => {
    expect(await errorPathsOf(await testOf(await connectionTo(config), query))).toEqual(["target"]);
  });
});

describe("the preview of a step on a connection to several hosts", () => {
  async function preview(target: string, params: JsonObject = {}, inputs: JsonObject = {}) {
    const connectionId = await connectionTo(SEVERAL);
    const definition = graph(request(connectionId, target, { params }));
    const body = { name: "w", trigger: { type: "manual" }, definition, sample: { variables: inputs } };
    const { preview: nodes } = await bench.call("POST", "/workflows/validate", body, validateAnswerSchema);
    return nodes?.[0];
  }

  test("has its target, or why it is not allowed", async () => {
    expect(await preview("{{inputs.host}}", {}, { host: "web-1.example.org" })).toMatchObject({
      action: { target: "web-1.example.org" },
      error: null,
    });
    expect(await preview("{{inputs.host}}", {}, { host: "evil.example" })).toMatchObject({
      action: { target: null },
      error: {
        code: "target_not_allowed",
        message: expect.stringMatching(/^The connection "(?!con_)[^"]+" does not allow the target "evil\.example"/u),
      },
    });
  });

  test("has the problem of a url outside of the target", async () => {
    const url = "https://web-2.example.org/x";
    expect(await preview("web-1.example.org", { url })).toMatchObject({ error: { code: "invalid_params" } });
    expect(await preview("web-2.example.org", { url })).toMatchObject({ error: null });
  });
});

test("a workflow file keeps the target", async () => {
  const definition = graph(request(await connectionTo(SEVERAL), "web-1.example.org"));
  const { id } = await dataOf(await save(definition), 201, withId.loose());
  const file = await call(bench.bellhop, "GET", `/workflows/${id}/export`);
  expect(await file.text()).toContain("target: web-1.example.org");
});
