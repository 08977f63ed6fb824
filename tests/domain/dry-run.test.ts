import { describe, expect, test } from "bun:test";
import type { GivenNode, NodePreview } from "../../schema/contract/dry-run.ts";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Edge } from "../../schema/contract/workflow.ts";
import { DRY_RUN_ITEMS_MAX, DRY_RUN_PROBLEMS_MAX } from "../../schema/limits.ts";
import { dryRun } from "../../worker/domain/dry-run/index.ts";
import { action, define, edges } from "./engine.ts";

const VARIABLES = { host: "web-1", n: 3, hosts: ["a", "b"], empty: [], groups: [["x", "y"], ["z"]], json: '["j"]' };

function preview(
  nodes: readonly JsonObject[],
  graphEdges: readonly Edge[] = [],
  given: Record<string, GivenNode> = {},
  trigger: ExecutionTrigger = { type: "webhook", variables: VARIABLES },
): Map<string, NodePreview> {
  return new Map(dryRun(define(nodes, graphEdges), { trigger, nodes: given }).map((one) => [one.nodeId, one]));
}
/** A script with these templates as variables. */
const withEnv = (id: string, ...templates: string[]) =>
  action(id, { params: { script: "true", env: Object.fromEntries(templates.map((one, at) => [`V${at}`, one])) } });
const bash = (id: string, script: string, more: JsonObject = {}) => action(id, { params: { script }, ...more });
const runsOf = (previews: Map<string, NodePreview>) =>
  Object.fromEntries([...previews].map(([id, { runs }]) => [id, runs]));
const when = (field: string, value: string, logic = "all", more: JsonObject[] = []) => ({
  logic,
  conditions: [{ field, operator: "equals", value }, ...more],
});

describe("a dry run of templates", () => {
  test("shows code with its words, and named values with their sources", () => {
    const params = { script: 'ping {{webhook.host}} "$HOST"', env: { HOST: "{{webhook.host}}", N: "n {{webhook.n}}" } };
    const one = preview([action("a", { params })]).get("a");
    expect(one?.action?.values).toEqual([
      { name: "HOST", template: "{{webhook.host}}", value: "web-1" },
      { name: "N", template: "n {{webhook.n}}", value: "n 3" },
    ]);
    expect(one?.action?.params).toEqual({ script: 'ping web-1 "$HOST"' });
    expect(one).toMatchObject({ runs: "yes", outcome: "success", outcomeBy: "assumed", unresolved: [], error: null });
  });

  test("keeps the types of data, and shows every template with its place and its value", () => {
    const node = action("a", {
      action: "http.request",
      connectionId: "http",
      params: { path: "/h/{{webhook.host}}", headers: { n: "{{webhook.n}}00" }, query: { a: "{{webhook.n}}" } },
    });
    const one = preview([node]).get("a");
    expect(one?.action).toMatchObject({ effect: "read", params: { path: "/h/web-1", query: { a: 3 } } });
    expect(one?.error).toBeNull();
    expect(one?.templates).toEqual([
      { at: "params.path", template: "{{webhook.host}}", value: "web-1" },
      { at: "params.headers.n", template: "{{webhook.n}}", value: 3 },
      { at: "params.query.a", template: "{{webhook.n}}", value: 3 },
    ]);
  });

  test("distinguishes an empty value from one that is not known yet", () => {
    const nodes = [
      bash("a", "true"),
      withEnv("b", "{{webhook.none}}", "{{nodes.a.output.stdout}}", "{{nodes.a.status}}"),
    ];
    const one = preview(nodes, edges("a -> b")).get("b");
    expect(one?.unresolved).toEqual([
      { template: "{{webhook.none}}", known: true, reason: expect.stringContaining("empty") },
      { template: "{{nodes.a.output.stdout}}", known: false, reason: expect.stringContaining("nodes.a.output") },
    ]);
    const given = preview(nodes, edges("a -> b"), { a: { output: { stdout: "hi", exitCode: 0 } } }).get("b");
    expect(given?.unresolved.map(({ template }) => template)).toEqual(["{{webhook.none}}"]);
    expect(given?.action?.values.map(({ value }) => value)).toEqual(["", "hi", "succeeded"]);
  });

  test("says which value an empty template's path leads below, if that is known", () => {
    const nodes = [bash("a", "true"), bash("b", "echo {{webhook.host.name}} {{nodes.a.output.json.x}}")];
    const reasons = (given: Record<string, GivenNode>) =>
      preview(nodes, edges("a -> b"), given)
        .get("b")
        ?.unresolved.map(({ known, reason }) => ({ known, reason }));
    const host = "webhook.host is text and has nothing called name, so the value is empty";
    expect(reasons({})).toEqual([
      { known: true, reason: host },
      { known: false, reason: expect.stringContaining("nodes.a.output") },
    ]);
    expect(reasons({ a: { output: { stdout: "plain" } } })).toEqual([
      { known: true, reason: host },
      { known: true, reason: "nodes.a.output.stdout is not one whole JSON value, so the value is empty" },
    ]);
    expect(reasons({ a: { output: { stdout: '{"x": 1}' } } })).toEqual([{ known: true, reason: host }]);
  });

  test("reports a value that would make rendering fail, and accepts one that is not known yet", () => {
    const node = (status: string) =>
      action("b", { action: "http.request", connectionId: "http", params: { path: "/", expectStatus: status } });
    expect(preview([node("{{webhook.host}}")]).get("b")).toMatchObject({
      error: { code: "invalid_params" },
      outcome: "failure",
      outcomeBy: "evaluated",
      action: { params: null },
    });
    expect(preview([bash("a", "true"), node("{{nodes.a.output.code}}")], edges("a -> b")).get("b")?.error).toBeNull();
    const large = withEnv("a", "{{webhook.big}}");
    const big: ExecutionTrigger = { type: "webhook", variables: { big: "x".repeat(200_000) } };
    expect(preview([large], [], {}, big).get("a")?.error?.code).toBe("value_too_large");
  });

  test("shows every trigger's data under its name", () => {
    const incident: ExecutionTrigger = { type: "incident", incident: { id: "inc_1", tags: { region: "eu" } } };
    const cron: ExecutionTrigger = { type: "cron", scheduledAt: "2027-01-01T00:00:00.000Z" };
    const valuesOf = (trigger: ExecutionTrigger, ...templates: string[]) =>
      preview([withEnv("a", ...templates)], [], {}, trigger)
        .get("a")
        ?.action?.values.map(({ value }) => value);
    expect(valuesOf(incident, "{{incident.id}}", "{{incident.tags.region}}")).toEqual(["inc_1", "eu"]);
    expect(valuesOf(cron, "{{cron.scheduledAt}}")).toEqual(["2027-01-01T00:00:00.000Z"]);
    expect(valuesOf({ type: "manual", variables: { n: 1 }, by: null }, "{{inputs.n}}")).toEqual(["1"]);
  });
});

describe("the paths of a dry run", () => {
  const fork = (field: string, value: string) => [
    bash("first", "true"),
    { id: "ask", type: "condition", when: when(field, value) },
    bash("yes", "true"),
    bash("no", "true"),
    bash("after", "true"),
  ];
  const ways = edges("first -> ask", "ask -true-> yes", "ask -false-> no", "yes -> after", "no -> after");

  test("a condition with known values is decided, and the other path does not run", () => {
    const run = preview(fork("webhook.host", "web-1"), ways);
    expect(runsOf(run)).toEqual({ first: "yes", ask: "yes", yes: "yes", no: "no", after: "yes" });
    expect(run.get("ask")).toMatchObject({ condition: { holds: true }, outcome: "true", outcomeBy: "evaluated" });
    expect(runsOf(preview(fork("webhook.host", "other"), ways))).toMatchObject({ yes: "no", no: "yes" });
  });

  test("a condition with an unknown value leaves both paths open, unless its known values decide", () => {
    const open = preview(fork("nodes.first.output.stdout", "x"), ways);
    expect(runsOf(open)).toEqual({ first: "yes", ask: "yes", yes: "unknown", no: "unknown", after: "unknown" });
    expect(open.get("ask")).toMatchObject({ condition: { holds: null }, outcome: null });
    const any = [
      {
        id: "ask",
        type: "condition",
        when: when("webhook.host", "web-1", "any", [{ field: "nodes.first.output.a", operator: "exists" }]),
      },
    ];
    expect(preview([bash("first", "true"), ...any], edges("first -> ask")).get("ask")?.condition?.holds).toBe(true);
    expect(runsOf(preview(fork("nodes.first.output.stdout", "x"), ways, { ask: { outcome: "false" } }))).toMatchObject({
      yes: "no",
      no: "yes",
    });
  });

  test("a node with a given failure takes its failure edge, and error describes the failure", () => {
    const nodes = [
      bash("a", "true"),
      bash("b", "true"),
      withEnv("c", "{{error.nodeId}}", "{{error.actionType}}", "{{error.message}}", "{{error.output.stderr}}"),
    ];
    const all = edges("a -> b", "a -failure-> c");
    const fine = preview(nodes, all);
    expect(runsOf(fine)).toEqual({ a: "yes", b: "yes", c: "no" });
    expect(fine.get("c")?.templates.map(({ value }) => value)).toEqual(["a", "script.bash", null, null]);
    const failed = preview(nodes, all, {
      a: { status: "failed", output: { stderr: "no" }, error: { message: "broke" } },
    });
    expect(runsOf(failed)).toEqual({ a: "yes", b: "no", c: "yes" });
    expect(failed.get("c")?.action?.values.map(({ value }) => value)).toEqual(["a", "script.bash", "broke", "no"]);
  });

  test("an errorHandler is entered only by a failure that no edge handles", () => {
    const nodes = [
      bash("a", "true"),
      { id: "h", type: "errorHandler" },
      withEnv("notify", "{{error.nodeId}}", "{{nodes.a.status}}"),
    ];
    expect(runsOf(preview(nodes, edges("h -> notify")))).toEqual({ a: "yes", h: "no", notify: "no" });
    const failed = preview(nodes, edges("h -> notify"), { a: { status: "timed_out" } });
    expect(runsOf(failed)).toEqual({ a: "yes", h: "yes", notify: "yes" });
    expect(failed.get("notify")?.action?.values.map(({ value }) => value)).toEqual(["a", "timed_out"]);
  });

  test("a person's answer stays open", () => {
    const nodes = [{ id: "ok", type: "approval", message: "Restart {{webhook.host}}?" }, bash("go", "true")];
    const open = preview(nodes, edges("ok -approved-> go"));
    expect(open.get("ok")).toMatchObject({ approval: { message: "Restart web-1?" }, outcome: null });
    expect(open.get("go")?.runs).toBe("unknown");
    expect(preview(nodes, edges("ok -approved-> go"), { ok: { outcome: "approved" } }).get("go")?.runs).toBe("yes");
  });
});

describe("a forEach in a dry run", () => {
  const loop = (items: string, body: JsonObject[], more: JsonObject = {}) => ({
    id: "each",
    type: "forEach",
    items,
    body: { nodes: body, edges: [] },
    ...more,
  });
  const inner = withEnv("in", "{{foreach.item}}", "{{foreach.index}}", "{{foreach.total}}");

  test("shows the first item and the number of items", () => {
    const run = preview([loop("{{webhook.hosts}}", [inner])]);
    expect(run.get("each")).toMatchObject({ iteration: [], forEach: { count: 2, first: "a" } });
    expect(run.get("in")).toMatchObject({ iteration: [0], runs: "yes" });
    expect(run.get("in")?.action?.values.map(({ value }) => value)).toEqual(["a", "0", "2"]);
    expect(preview([loop("{{webhook.json}}", [inner])]).get("each")?.forEach).toMatchObject({ count: 1, first: "j" });
  });

  const ping = bash("ping", "ping {{foreach.item}}");
  const eachOf = (hosts: readonly (string | string[])[], body: JsonObject[]) => {
    const run = preview(
      [loop("{{webhook.hosts}}", body)],
      [],
      {},
      { type: "webhook", variables: { hosts: [...hosts] } },
    );
    return { run, found: run.get("each")?.forEach };
  };

  test("names each later item for which a step would fail", () => {
    const { run, found } = eachOf(["web-1", "web-2; reboot", "web-3", "$(x)"], [ping]);
    expect(run.get("ping")).toMatchObject({ iteration: [0], error: null });
    expect(run.get("each")).toMatchObject({ error: null, outcome: "success" });
    expect(found).toMatchObject({ count: 4, checked: 4 });
    expect(found?.problems.map(({ iteration, item, nodeId, error }) => [iteration, item, nodeId, error.code])).toEqual([
      [[1], "web-2; reboot", "ping", "unsafe_value"],
      [[3], "$(x)", "ping", "unsafe_value"],
    ]);
  });

  test("also names those of a forEach inside, at the outermost one", () => {
    const inside = { id: "inside", type: "forEach", items: "{{foreach.item}}", body: { nodes: [ping], edges: [] } };
    const { run, found } = eachOf(
      [
        ["a", "b;"],
        ["c", "d;"],
      ],
      [inside],
    );
    expect(run.get("inside")?.forEach?.problems).toMatchObject([{ iteration: [0, 1], item: "b;" }]);
    expect(found?.problems).toMatchObject([{ iteration: [1, 1], nodeId: "ping" }]);
  });

  test("looks at a bounded number of items, and at fewer when that would take too long", () => {
    const hosts = Array.from({ length: 900 }, () => "web;");
    const { found } = eachOf(["web", ...hosts], [ping]);
    expect(found).toMatchObject({ count: 901, checked: DRY_RUN_ITEMS_MAX });
    expect(found?.problems).toHaveLength(DRY_RUN_PROBLEMS_MAX);
    const { found: long } = eachOf(hosts, [bash("long", `# ${"x".repeat(40_000)}\n{{foreach.index}}`)]);
    expect(long?.checked).toBeGreaterThan(1);
    expect(long?.checked).toBeLessThan(DRY_RUN_ITEMS_MAX);
  });

  test("skips its body for an empty list, fails for a non-list, and stays open for an unknown value", () => {
    expect(runsOf(preview([loop("{{webhook.empty}}", [inner])]))).toEqual({ each: "yes", in: "no" });
    const failed = preview([loop("{{webhook.host}}", [inner])]);
    expect(failed.get("each")).toMatchObject({ error: { code: "items_not_a_list" }, outcome: "failure" });
    expect(failed.get("in")?.runs).toBe("no");
    const open = preview([bash("a", "true"), loop("{{nodes.a.output.stdout}}", [inner])], edges("a -> each"));
    expect(open.get("each")).toMatchObject({ runs: "yes", forEach: { count: null } });
    expect(open.get("in")).toMatchObject({ runs: "unknown" });
    expect(open.get("in")?.unresolved[0]).toMatchObject({ known: false });
  });

  test("shows its list although its check between batches is not known yet", () => {
    const check = { logic: "all", conditions: [{ field: "foreach.failed", operator: "lessThan", value: 1 }] };
    const each = preview([loop("{{webhook.hosts}}", [inner], { batchSize: 1, check })]).get("each");
    expect(each).toMatchObject({ forEach: { count: 2 }, error: null });
    expect(each?.unresolved).toMatchObject([{ known: false, reason: expect.stringContaining("between two batches") }]);
  });

  test("inside another forEach, foreach is the inner one and parent the outer", () => {
    const deep = withEnv("deep", "{{foreach.item}}", "{{foreach.parent.item}}", "{{webhook.host}}");
    const second = { id: "second", type: "forEach", items: "{{foreach.item}}", body: { nodes: [deep], edges: [] } };
    const run = preview([loop("{{webhook.groups}}", [second])]);
    expect(run.get("deep")).toMatchObject({ iteration: [0, 0], runs: "yes" });
    expect(run.get("deep")?.action?.values.map(({ value }) => value)).toEqual(["x", '["x","y"]', "web-1"]);
  });
});

test("a dry run shows a large value in some of many nodes, so that the answer stays bounded", () => {
  const nodes = Array.from({ length: 60 }, (_, index) => withEnv(`n${index}`, "{{webhook.big}}"));
  const run = preview(nodes, [], {}, { type: "webhook", variables: { big: "x".repeat(100_000) } });
  expect(run.size).toBe(60);
  expect(JSON.stringify([...run.values()]).length).toBeLessThan(5_000_000);
  expect(run.get("n59")?.error?.code).toBe("preview_too_large");
});
