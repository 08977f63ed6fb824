import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { fieldErrorSchema } from "../../schema/contract/problem.ts";
import { workflowSchema, workflowVersionSchema } from "../../schema/contract/management.ts";
import type { WorkflowView } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import {
  DELAY_DEFINITION,
  call,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  pageOf,
  problemOf,
  verb,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const get = async (id: string): Promise<WorkflowView> =>
  dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
const put = (id: string, body: object) => call(bellhop, "PUT", `/workflows/${id}`, body);
const versionsOf = async (id: string) =>
  (await pageOf(await call(bellhop, "GET", `/workflows/${id}/versions`), workflowVersionSchema)).items;

const draft = (changes: object = {}) => ({
  name: "a workflow",
  trigger: { type: "webhook" },
  definition: DELAY_DEFINITION,
  ...changes,
});
const delay = (id: string, seconds = 1) => ({ id, type: "delay", seconds });

describe("workflows", () => {
  test("a new workflow is a draft: neither published nor active, without a key", async () => {
    const made = await createWorkflow(bellhop, { name: " deploy ", description: "d" });
    expect(made).toMatchObject({
      name: "deploy",
      description: "d",
      trigger: { type: "webhook" },
      definition: DELAY_DEFINITION,
      published: false,
      publishedVersionId: null,
      active: false,
      autoDisabledAt: null,
      autoDisableReason: null,
      nextRunAt: null,
      webhookKey: null,
    });
    expect(made).toEqual({ ...(await get(made.id)), warnings: [] });
  });

  test("a node's defaults are filled in", async () => {
    const connection = await createConnection(bellhop);
    const node = {
      id: "run",
      type: "action",
      action: "script.bash",
      connectionId: connection.id,
      params: { script: "id" },
    };
    const made = await createWorkflow(bellhop, { definition: { nodes: [node], edges: [] } });
    expect(made.definition.nodes[0]).toMatchObject({ ...node, timeoutSeconds: 300 });
  });

  test("problems of fields, graph, connections and templates come in one response", async () => {
    const disabled = await createConnection(bellhop);
    await call(bellhop, "POST", `/connections/${disabled.id}/disable`);
    const chat = await createConnection(bellhop, { type: "chat", config: { defaultChannel: "C024BE91L" } });
    const bash = (id: string, connectionId: string | undefined, params: object) => ({
      id,
      type: "action",
      action: "script.bash",
      connectionId,
      params,
    });
    const body = {
      colour: "red",
      trigger: { type: "manual", inputs: { count: { type: "number", default: "three" } } },
      definition: {
        nodes: [
          bash("missing", "con_none", { script: "id" }),
          bash("off", disabled.id, { script: "id", shell: "zsh" }),
          bash("wrong", chat.id, { script: 'echo "{{nodes.last.output.stdout}}"' }),
          { id: "9 lives", type: "delay", seconds: 0 },
          delay("last"),
          delay("last"),
        ],
        edges: [
          { from: "missing", to: "nowhere", on: "success" },
          { from: "off", to: "wrong", on: "true" },
          { from: "wrong", to: "last" },
          { from: "last", to: "off", on: "success" },
        ],
      },
    };
    expect(await errorPathsOf(await call(bellhop, "POST", "/workflows", body))).toEqual([
      "colour",
      "definition.edges.0.to",
      "definition.edges.1.on",
      "definition.edges.2.on",
      "definition.edges.3",
      "definition.nodes.0.connectionId",
      "definition.nodes.1.connectionId",
      "definition.nodes.1.params.shell",
      "definition.nodes.2.connectionId",
      "definition.nodes.3.id",
      "definition.nodes.3.seconds",
      "definition.nodes.5.id",
      "name",
      "trigger.inputs.count.default",
    ]);
  });

  test("a condition of the wrong shape does not hide other problems of its neighbours and itself", async () => {
    const conditions = [
      { field: "severty", operator: "in", value: "critical" },
      { field: "hots", operator: "matches", value: "web-(" },
      {
        logic: "any",
        conditions: [
          { field: "{{x", operator: "like" },
          { field: "titel", operator: "exists" },
        ],
      },
      "severity = high",
    ];
    const when = {
      logic: "some",
      conditions: [
        { field: "a..b", operator: "exists" },
        { field: "incident.titel", operator: "matches", value: "(", vlaue: 1 },
        5,
      ],
    };
    const body = draft({
      trigger: { type: "incident", events: ["incident.created"], conditions: { logic: "all", conditions } },
      definition: { nodes: [{ id: "ask", type: "condition", when }], edges: [] },
    });
    const paths = await errorPathsOf(await call(bellhop, "POST", "/workflows", body));
    expect(paths.filter((path) => path.startsWith("trigger"))).toEqual([
      "trigger.conditions.conditions.0.field",
      "trigger.conditions.conditions.0.value",
      "trigger.conditions.conditions.1.field",
      "trigger.conditions.conditions.1.value",
      "trigger.conditions.conditions.2.conditions.0.field",
      "trigger.conditions.conditions.2.conditions.0.operator",
      "trigger.conditions.conditions.2.conditions.1.field",
      expect.stringContaining("trigger.conditions.conditions.3"),
    ]);
    expect(paths).toContain("definition.nodes.0.when.conditions.0.field");
    expect(paths).toContain("definition.nodes.0.when.conditions.1.value");
    expect(paths).toContain("definition.nodes.0.when.conditions.1.vlaue");
    expect(paths).toContain("definition.nodes.0.when.logic");
  });

  test.each<[string, object, string[]]>([
    ["nothing", {}, ["definition", "name", "trigger"]],
    ["a trigger of no type", draft({ trigger: { type: "moon" } }), ["trigger.type"]],
    [
      "a trigger of no type, and problems of the graph",
      draft({ trigger: {}, definition: { nodes: [delay("a")], edges: [{ from: "a", to: "b", on: "success" }] } }),
      ["definition.edges.0.to", "trigger.type"],
    ],
    ["an empty graph", draft({ definition: { nodes: [], edges: [] } }), ["definition.nodes"]],
    [
      "a graph with a node of no type, whose edges are not held against it",
      draft({
        definition: {
          nodes: [delay("a"), { id: "b", type: "teleport" }, delay("c")],
          edges: [
            { from: "a", to: "b", on: "success" },
            { from: "b", to: "c", on: "arrived" },
          ],
        },
      }),
      ["definition.edges.1.on", "definition.nodes.1.type"],
    ],
    [
      "a condition without its question, which may still leave by true and false",
      draft({
        definition: {
          nodes: [{ id: "ask", type: "condition" }, delay("yes"), delay("no")],
          edges: [
            { from: "ask", to: "yes", on: "true" },
            { from: "ask", to: "no", on: "false" },
          ],
        },
      }),
      ["definition.nodes.0.when"],
    ],
    [
      "places that no screen has",
      draft({
        definition: {
          nodes: [delay("a"), delay("b")],
          edges: [],
          layout: { a: { x: 0.5, y: 100_001 }, b: { x: 0, y: 0, z: 0 }, "@other": { x: 0, y: 0 } },
        },
      }),
      ["definition.layout.@other", "definition.layout.a.x", "definition.layout.a.y", "definition.layout.b.z"],
    ],
    [
      "edges that name nothing",
      draft({ definition: { nodes: [delay("a")], edges: [{}] } }),
      ["definition.edges.0.from", "definition.edges.0.on", "definition.edges.0.to"],
    ],
  ])("%s is refused, and no valid field is reported", async (_what, body, paths) => {
    expect(await errorPathsOf(await call(bellhop, "POST", "/workflows", body))).toEqual(paths);
  });

  test("validating gives the same result without saving, and accepts what can be saved", async () => {
    const errors = z.array(fieldErrorSchema);
    const answerSchema = z.strictObject({ valid: z.boolean(), errors, warnings: errors });
    const validate = async (body: object) =>
      dataOf(await call(bellhop, "POST", "/workflows/validate", body), 200, answerSchema);
    const before = await query(bellhop, "select count(*) as n from workflows");
    expect(await validate(draft())).toEqual({ valid: true, errors: [], warnings: [] });
    const bad = await validate(draft({ name: "", definition: { nodes: [delay("a"), delay("a")], edges: [] } }));
    expect(bad.valid).toBe(false);
    expect(bad.errors.map((error) => error.path).sort()).toEqual(["definition.nodes.1.id", "name"]);
    expect(await query(bellhop, "select count(*) as n from workflows")).toEqual(before);
  });

  test("a replaced draft is validated whole, and leaves the published version unchanged", async () => {
    const made = await createWorkflow(bellhop);
    await verb(bellhop, made.id, "publish");
    const replaced = await dataOf(
      await put(made.id, draft({ name: "second", definition: { nodes: [delay("other")], edges: [] } })),
      200,
      workflowSchema,
    );
    expect(replaced).toMatchObject({ name: "second", description: null, published: true });
    expect((await versionsOf(made.id)).map((version) => version.definition)).toEqual([made.definition]);
    expect(await errorPathsOf(await put(made.id, { name: "third" }))).toEqual(["definition", "trigger"]);
    expect(replaced).toEqual({ ...(await get(made.id)), warnings: [] });
  });

  test("every operation on an unknown workflow is 404", async () => {
    const verbs: [string, string, object?][] = [
      ["GET", ""],
      ["PUT", "", {}],
      ["DELETE", ""],
      ["GET", "/versions"],
      ...["publish", "unpublish", "activate", "deactivate", "webhook-key", "execute"].map((name): [string, string] => [
        "POST",
        `/${name}`,
      ]),
    ];
    for (const [method, suffix, body] of verbs) {
      const problem = await problemOf(
        await call(bellhop, method, `/workflows/wf_none${suffix}`, body),
        404,
        "not_found",
      );
      expect(problem.detail).toContain("workflow wf_none");
    }
  });

  test("the list of workflows is paged", async () => {
    const made: string[] = [];
    for (let i = 0; i < 3; i += 1) made.unshift((await createWorkflow(bellhop)).id);
    const first = await pageOf(await call(bellhop, "GET", "/workflows?limit=2"), workflowSchema);
    expect(first.items.map((workflow) => workflow.id)).toEqual(made.slice(0, 2));
    const rest = await pageOf(
      await call(bellhop, "GET", `/workflows?limit=1&cursor=${first.nextCursor}`),
      workflowSchema,
    );
    expect(rest.items.map((workflow) => workflow.id)).toEqual(made.slice(2));
  });
});
