import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { conditionGroupSchema } from "../../schema/contract/condition.ts";
import { workflowInputSchema } from "../../schema/contract/management.ts";
import { listExecutionsQuerySchema } from "../../schema/contract/list-executions.ts";
import { definitionSchema } from "../../schema/contract/workflow.ts";
import { issueErrors } from "../../worker/domain/issue-messages.ts";
import { paramProblems } from "../support/problems.ts";

function errorsOf(schema: z.ZodType, input: unknown): Record<string, string> {
  const { error } = schema.safeParse(input, { reportInput: true });
  const errors = (error?.issues ?? []).flatMap((issue) => issueErrors(issue, { schema, input }));
  return Object.fromEntries(errors.map(({ path, message }) => [path, message]));
}
const drafted = (node: object, more: object = {}) => ({
  name: "x",
  trigger: { type: "webhook" },
  definition: { nodes: [node], edges: [] },
  ...more,
});

describe("the error of an unknown field lists the known fields", () => {
  const cases: [what: string, schema: z.ZodType, input: unknown, path: string, fields: string][] = [
    [
      "at the top",
      workflowInputSchema,
      drafted({}, { colour: 1 }),
      "colour",
      "name, description, runbookUrl, tags, retention, trigger, definition",
    ],
    [
      "in a node, by its type",
      workflowInputSchema,
      drafted({ id: "a", type: "delay", secs: 1 }),
      "definition.nodes.0.secs",
      "id, name, type, seconds",
    ],
    [
      "in a list of a forEach's body",
      workflowInputSchema,
      drafted({
        id: "a",
        type: "forEach",
        items: "[]",
        body: { nodes: [{ id: "b", type: "delay", seconds: 1 }], edges: [{ from: "b", to: "b", on: "success", x: 1 }] },
      }),
      "definition.nodes.0.body.edges.0.x",
      "from, to, on",
    ],
    [
      "in a record",
      workflowInputSchema,
      drafted({}, { trigger: { type: "manual", inputs: { a: { type: "string", requird: true } } } }),
      "trigger.inputs.a.requird",
      "type, required, default, description, sensitive",
    ],
    [
      "in a condition, without the fields of a group",
      conditionGroupSchema,
      { logic: "all", conditions: [{ field: "a", operator: "exists", vlaue: 1 }] },
      "conditions.0.vlaue",
      "field, operator, value",
    ],
  ];
  test.each(cases)("%s", (_, schema, input, path, fields) => {
    expect(errorsOf(schema, input)[path]).toBe(`is not a field here: use one of ${fields}`);
  });

  test("with no known field, and with one", () => {
    expect(errorsOf(z.strictObject({}), { a: 1 })).toEqual({ a: "is not a field here: remove it" });
    expect(errorsOf(z.strictObject({ b: z.any() }), { a: 1 })).toMatchObject({ a: "is not a field here: use b" });
  });
});

describe("an error says what must change, not what the validator expected", () => {
  test("for times, addresses, one entry and one character", () => {
    expect(errorsOf(listExecutionsQuerySchema, { from: "yesterday" })).toEqual({
      from: "must be a time like 2026-12-01T00:00:00Z",
    });
    const shape = z.object({ mail: z.email(), url: z.url(), list: z.array(z.any()).min(1), text: z.string().max(1) });
    expect(errorsOf(shape, { mail: "x", url: "y", list: [], text: "ab" })).toEqual({
      mail: "must be an email address",
      url: "must be an address like https://example.org/path",
      list: "must not be empty",
      text: "must have at most 1 character",
    });
  });

  test("for a graph without nodes", () => {
    const loop = { id: "loop", type: "forEach", items: "{{inputs.list}}", body: { nodes: [], edges: [] } };
    expect(errorsOf(definitionSchema, { nodes: [], edges: [] })).toEqual({
      nodes: "a workflow needs at least one step",
    });
    expect(errorsOf(definitionSchema, { nodes: [loop], edges: [] })).toEqual({
      "nodes.0.body.nodes": "a For each needs at least one step",
    });
  });

  test.each([
    ["script.bash", {}, "params.script", "is required"],
    ["http.request", { method: "FETCH" }, "params.method", "must be one of GET, HEAD, POST"],
    [
      "notification.sendNotification",
      { channel: "slack", to: "#ops", message: "m" },
      "params.channel",
      "must be email, sms or webhook. To write to Slack, use the action chat.sendMessage",
    ],
    ["kubernetes.scaleDeployment", { deployment: "a", replicas: "many" }, "params.replicas", "must be"],
    [
      "ssh.executeCommand",
      { command: "ls", cmd: 1 },
      "params.cmd",
      "is not a parameter of ssh.executeCommand: use one of command, env, secretsFrom",
    ],
    [
      "email.sendEmail",
      { to: "a@example.org", subject: "s", attachments: [{ filename: "f", content: "", nam: 1 }] },
      "params.attachments.0.nam",
      "is not a field here: use one of filename, content, encoding, contentType",
    ],
  ] as const)("for %s with %j", (action, params, path, message) => {
    const found = paramProblems(action, z.record(z.string(), z.json()).parse(params), "params");
    expect(found.find((problem) => problem.path === path)?.message).toStartWith(message);
  });
});

describe("an error with many allowed values suggests the one that was meant", () => {
  const action = (name: string) => drafted({ id: "a", type: "action", action: name });
  const condition = (operator: string) => ({ logic: "all", conditions: [{ field: "a", operator, value: 1 }] });
  test.each<[string, z.ZodType, unknown, string, string]>([
    ["an action", workflowInputSchema, action("script.bsh"), "definition.nodes.0.action", "script.bash"],
    [
      "an action in another case",
      workflowInputSchema,
      action("HTTP.Request"),
      "definition.nodes.0.action",
      "http.request",
    ],
    [
      "an action without its dot",
      workflowInputSchema,
      action("scriptbash"),
      "definition.nodes.0.action",
      "script.bash",
    ],
    ["a node's type", workflowInputSchema, drafted({ id: "a", type: "foreach" }), "definition.nodes.0.type", "forEach"],
    ["an operator", conditionGroupSchema, condition("equal"), "conditions.0.operator", "equals"],
  ])("for %s", (_what, schema, input, path, meant) => {
    expect(errorsOf(schema, input)[path]?.slice(0, 500)).toContain(`. Did you mean ${meant}?`);
  });

  test("the error of an unknown action of a known type lists only that type's actions", () => {
    const errorOf = (name: string) => errorsOf(workflowInputSchema, action(name))["definition.nodes.0.action"];
    expect(errorOf("ssh.reboot")).toBe("is not an action: with ssh. use one of ssh.executeCommand, ssh.executeScript");
    expect(errorOf("script.bsh")).toBe(
      "is not an action. Did you mean script.bash? With script. use one of script.bash, script.powershell, script.python",
    );
    expect(errorOf("reboot")).toStartWith("is not an action: the actions are ssh.executeCommand, ");
  });

  test("the error of a value that resembles no allowed value lists all of them", () => {
    const message = errorsOf(conditionGroupSchema, condition("xyzzy"))["conditions.0.operator"] ?? "";
    expect(message).toStartWith("must be one of equals, notEquals, ");
    expect(message).not.toContain("mean");
  });
});

test("the error of a value that fits no branch of a union lists all branches", () => {
  const problems = (value: string | boolean | (string | number)[]) =>
    paramProblems("http.request", { expectStatus: value }).map(({ path, message }) => `${path} ${message}`);
  expect(problems("x")).toEqual(["params.expectStatus must be a number or a list"]);
  expect(problems([200, "x"])).toEqual(["params.expectStatus.1 must be a number"]);
  const query = { a: [1] };
  expect(paramProblems("http.request", { query })).toEqual([
    { path: "params.query.a", message: "must be text, a number or true or false" },
  ]);
});
