import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { validateAnswerSchema } from "../../schema/contract/dry-run.ts";
import { AgentClient } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  call,
  createAgent,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  verb,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const post = (body: object) => call(bellhop, "POST", "/workflows/validate", body);
const validate = async (body: object) => dataOf(await post(body), 200, validateAnswerSchema);
const bash = (id: string, connectionId: string, script: string, env?: Record<string, string>) => ({
  id,
  type: "action",
  action: "script.bash",
  connectionId,
  params: { script, ...(env === undefined ? {} : { env }) },
});
const draft = (nodes: object[], more: object = {}) => ({
  name: "tried",
  trigger: { type: "webhook" },
  definition: { nodes, edges: [] },
  ...more,
});

describe("a dry run", () => {
  test("shows what would run where, and what would keep it waiting, and stores and runs nothing", async () => {
    const pooled = await createConnection(bellhop, { name: "hosts", poolId: "eu" });
    const { agent, apiKey } = await createAgent(bellhop, { name: "lonely" });
    const pinned = await createConnection(bellhop, { name: "one host", poolId: undefined, agentId: agent.id });
    const child = await createWorkflow(bellhop, { name: "the child", trigger: { type: "manual" } });
    await verb(bellhop, child.id, "publish");
    const nodes = [
      bash("a", pooled.id, 'echo {{webhook.host}} "$TITLE"', { TITLE: "{{webhook.title}}", FIXED: "1" }),
      bash("b", pinned.id, "true"),
      { id: "c", type: "workflow", workflowId: child.id, variables: { host: "{{webhook.host}}" } },
      {
        id: "d",
        type: "action",
        action: "notification.sendNotification",
        params: { channel: "email", to: "a@example.com", message: "hi" },
      },
    ];
    const counts = () =>
      query(
        bellhop,
        "select (select count(*) from audit_log) a, (select count(*) from executions) b, (select count(*) from jobs) c, (select count(*) from workflows) d",
      );
    const before = await counts();
    const variables = { host: "web-1", title: "it's $(down)" };
    const { valid, preview = [], trigger } = await validate(draft(nodes, { sample: { variables } }));
    expect(valid).toBe(true);
    expect(trigger).toEqual({ data: { type: "webhook", variables }, starts: true });
    const [a, b, c, d] = preview;
    expect(a?.action?.runsOn).toMatchObject({
      connectionName: "hosts",
      runner: "pool",
      poolId: "eu",
      agents: { total: 0, online: 0 },
      waitingFor: expect.stringContaining("no agent yet"),
    });
    expect(a?.action?.params).toEqual({ script: 'echo web-1 "$TITLE"' });
    expect(a?.action?.values).toEqual([
      { name: "TITLE", template: "{{webhook.title}}", value: "it's $(down)" },
      { name: "FIXED", template: "1", value: "1" },
    ]);
    expect(b?.action?.runsOn).toMatchObject({
      connectionName: "one host",
      runner: "agent",
      agentId: agent.id,
      agents: { total: 1, online: 0 },
    });
    expect(c?.workflow).toEqual({
      workflowId: child.id,
      name: "the child",
      published: true,
      variables: { host: "web-1" },
    });
    expect(d?.action?.runsOn).toMatchObject({ runner: "service", waitingFor: null });
    expect(await counts()).toEqual(before);

    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    await client.heartbeat();
    const online = (await validate(draft(nodes, { sample: {} }))).preview?.[1]?.action?.runsOn;
    expect(online).toMatchObject({ agents: { total: 1, online: 1 }, waitingFor: null });
  });

  test("says which agents have no executor for a connection's type", async () => {
    const service = { type: "osService", config: {} };
    const { agent, apiKey } = await createAgent(bellhop, { name: "old", poolId: "services" });
    const pooled = await createConnection(bellhop, { ...service, poolId: "services" });
    const pinned = await createConnection(bellhop, { ...service, poolId: undefined, agentId: agent.id });
    const restart = (id: string, connectionId: string) => ({
      id,
      type: "action",
      action: "os.restartService",
      connectionId,
      params: { service: "nginx" },
    });
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    await client.heartbeat();
    const nodes = [restart("a", pooled.id), restart("b", pinned.id)];
    const waits = (await validate(draft(nodes, { sample: {} }))).preview?.map(
      ({ action }) => action?.runsOn?.waitingFor,
    );
    expect(waits).toEqual([
      expect.stringContaining(
        "No agent of the pool services can run actions of type osService. Supported types: script, ssh.",
      ),
      expect.stringContaining("Its agent cannot run actions of type osService"),
    ]);
  });

  test("needs only sample data, and continues past a missing connection", async () => {
    expect(Object.keys(await validate(draft([bash("a", "con_none", "true")]))).sort()).toEqual([
      "errors",
      "valid",
      "warnings",
    ]);
    const tried = await validate(
      draft([bash("a", "con_none", "echo {{webhook.x}}")], { sample: { variables: { x: 1 } } }),
    );
    expect(tried.valid).toBe(false);
    expect(tried.errors.map(({ path }) => path)).toEqual(["definition.nodes.0.connectionId"]);
    expect(tried.preview?.[0]).toMatchObject({
      nodeId: "a",
      action: { params: { script: "echo 1" }, values: [], runsOn: null },
    });
  });

  test("shows the values that are bound to a query, with the template that each comes from", async () => {
    const node = {
      id: "a",
      type: "action",
      action: "database.executeQuery",
      connectionId: "con_none",
      params: {
        query: "select :id, {{webhook.host}}, {{webhook.tries | int}}",
        parameters: { id: "{{webhook.id}}" },
      },
    };
    const { preview } = await validate(draft([node], { sample: { variables: { host: "web-1", tries: "3", id: 7 } } }));
    expect(preview?.[0]?.action?.params).toMatchObject({
      query: "select :bellhop_parameter_id, :bellhop_value_1, :bellhop_value_2",
    });
    expect(preview?.[0]?.action?.values.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
      { name: "bellhop_value_1", template: "{{webhook.host}}", value: '"web-1"' },
      { name: "bellhop_value_2", template: "{{webhook.tries | int}}", value: "3" },
      { name: "id", template: "{{webhook.id}}", value: "7" },
    ]);
  });

  test("shows the error of a value that must not be in place, and none while the value is unknown", async () => {
    const nodes = [
      bash("a", "con_none", "echo {{webhook.host}}"),
      bash("b", "con_none", "echo {{nodes.a.output.stdout}}"),
    ];
    const body = draft(nodes, { sample: { variables: { host: "a b" } } });
    const definition = { nodes, edges: [{ from: "a", to: "b", on: "success" }] };
    const { preview = [] } = await validate({ ...body, definition });
    expect(preview.map(({ error }) => error?.code ?? null)).toEqual(["unsafe_value", null]);
    expect(preview[0]?.action).toMatchObject({ params: null, values: [] });
  });

  test("says that a node with named values waits while all agents are too old for them", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { name: "old", poolId: "aged" });
    const pooled = await createConnection(bellhop, { poolId: "aged" });
    const pinned = await createConnection(bellhop, { poolId: undefined, agentId: agent.id });
    const client = new AgentClient(bellhop, apiKey);
    const nodes = [
      bash("a", pooled.id, 'echo "$A"', { A: "1" }),
      bash("b", pinned.id, 'echo "$A"', { A: "1" }),
      bash("c", pooled.id, "true", {}),
    ];
    const waits = async () => {
      const { preview } = await validate(draft(nodes, { sample: {} }));
      return preview?.map(({ action }) => action?.runsOn?.waitingFor);
    };
    await client.register({ features: undefined });
    await client.heartbeat();
    expect(await waits()).toEqual([
      "No agent of the pool aged is new enough for named values, such as env: update one.",
      "Its agent is too old for named values, such as env: update it.",
      null,
    ]);
    await client.register();
    await client.heartbeat();
    expect(await waits()).toEqual([null, null, null]);
  });

  test("says that a node waits while no agent can run its action, and says nothing once one can", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { name: "lesser", poolId: "mixed" });
    const pooled = await createConnection(bellhop, { poolId: "mixed" });
    const pinned = await createConnection(bellhop, { poolId: undefined, agentId: agent.id });
    const nodes = [bash("a", pooled.id, "true", {}), bash("b", pinned.id, "true", {})];
    const lesser = new AgentClient(bellhop, apiKey);
    await lesser.register({ actions: ["script.python"] });
    await lesser.heartbeat();
    const waits = async () => {
      const { preview } = await validate(draft(nodes, { sample: {} }));
      return preview?.map(({ action }) => action?.runsOn?.waitingFor);
    };
    expect(await waits()).toEqual([
      "No agent of the pool mixed is new enough for script.bash: update one.",
      "Its agent is too old for script.bash: update it.",
    ]);
    const other = await createAgent(bellhop, { name: "older", poolId: "mixed" });
    await new AgentClient(bellhop, other.apiKey).register();
    expect(await waits()).toEqual([null, "Its agent is too old for script.bash: update it."]);
  });

  test("of an invalid graph returns its problems and no preview", async () => {
    const delay = (id: string) => ({ id, type: "delay", seconds: 1 });
    const edge = (from: string, to: string) => ({ from, to, on: "success" });
    for (const definition of [
      { nodes: [delay("a"), delay("b"), delay("c")], edges: [edge("a", "b"), edge("b", "c"), edge("c", "b")] },
      { nodes: [delay("a"), delay("a")], edges: [] },
      { nodes: [delay("a")], edges: [edge("a", "x")] },
      { nodes: [{ id: "a", type: "teleport" }], edges: [] },
    ]) {
      const answer = await validate({ ...draft([]), definition, sample: {} });
      expect(answer.valid).toBe(false);
      expect(answer.preview).toBeUndefined();
    }
  });

  test("of an incident workflow has default data, and evaluates its conditions", async () => {
    const trigger = {
      type: "incident",
      events: ["incident.resolved"],
      conditions: { logic: "all", conditions: [{ field: "severity", operator: "equals", value: "critical" }] },
    };
    const delay = [{ id: "a", type: "delay", seconds: 1 }];
    const high = await validate(draft(delay, { trigger, sample: {} }));
    expect(high.trigger).toMatchObject({
      starts: false,
      data: { incident: { severity: "high", status: "resolved", eventType: "incident.resolved" } },
    });
    const critical = await validate(draft(delay, { trigger, sample: { incident: { severity: "critical" } } }));
    expect(critical.trigger?.starts).toBe(true);
    const other = await validate(
      draft(delay, { trigger, sample: { incident: { severity: "critical" }, eventType: "incident.created" } }),
    );
    expect(other.trigger?.starts).toBe(false);
  });

  test("fills in a manual trigger's defaults; a schedule's minute is now unless it is given", async () => {
    const inputs = { n: { type: "number", default: 7 }, s: { type: "string", required: true } };
    const manual = { type: "manual", inputs };
    const delay = [{ id: "a", type: "delay", seconds: 1 }];
    const tried = await validate(draft(delay, { trigger: manual, sample: { variables: { s: "x" } } }));
    expect(tried.trigger?.data).toEqual({ type: "manual", variables: { n: 7, s: "x" }, by: null });
    const cron = { type: "cron", expression: "0 * * * *" };
    const at = await validate(draft(delay, { trigger: cron, sample: { scheduledAt: "2027-01-01T01:00:00+01:00" } }));
    expect(at.trigger?.data).toEqual({ type: "cron", scheduledAt: "2027-01-01T00:00:00.000Z" });
    const now = await validate(draft(delay, { trigger: cron, nodes: {} }));
    expect(now.trigger?.data).toMatchObject({ scheduledAt: expect.stringMatching(/:00\.000Z$/u) });
  });

  test("with invalid sample data is refused, each problem with its path", async () => {
    const delay = [{ id: "a", type: "delay", seconds: 1 }];
    const manual = { type: "manual", inputs: { n: { type: "number" } } };
    const pathsOf = async (more: object) => errorPathsOf(await post(draft(delay, more)));
    expect(await pathsOf({ sample: 5 })).toEqual(["sample"]);
    expect(await pathsOf({ sample: { incident: {} } })).toEqual(["sample.incident"]);
    expect(await pathsOf({ sample: { colour: "red" } })).toEqual(["sample.colour"]);
    expect(await pathsOf({ trigger: manual, sample: { variables: { n: "x", m: 1 } } })).toEqual([
      "sample.variables.m",
      "sample.variables.n",
    ]);
    expect(await pathsOf({ nodes: { a: { status: "running" } } })).toEqual(["nodes.a.status"]);
    expect(await pathsOf({ nodes: { a: {}, b: { output: {} } } })).toEqual(["nodes.b"]);
  });
});
