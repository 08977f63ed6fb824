import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { problemSchema } from "../../schema/contract/problem.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { DELAY_DEFINITION, createWorkflow } from "../support/management-api.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const BASE = "/api/v1/automation/workflows";
const draft = (more: object = {}) => ({
  name: "x",
  trigger: { type: "webhook" },
  definition: DELAY_DEFINITION,
  ...more,
});
const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
const validated = z.object({ data: z.object({ errors: problemSchema.shape.errors.unwrap() }) });
const errorsOf = async (body: unknown) => {
  const response = await bellhop.api("POST", `${BASE}/validate`, body);
  return validated.parse(await response.json()).data.errors;
};
const graph = (nodes: object[]) => draft({ definition: { nodes, edges: [] } });
const sorted = (errors: readonly { path: string }[]) => errors.map(({ path }) => path).toSorted();

describe("a response with many problems is no larger than a person can read", () => {
  const LARGEST = 100_000;
  test.each<[string, () => unknown]>([
    ["a body of unknown fields", () => draft(unknown(300_000))],
    ["a node of unknown fields", () => graph([{ id: "a", type: "delay", seconds: 1, ...unknown(200_000) }])],
    [
      "an action of unknown parameters, whose trigger is wrong, too",
      () => ({
        ...graph([{ id: "a", type: "action", action: "script.bash", connectionId: "c", params: unknown(200_000) }]),
        trigger: {},
      }),
    ],
    ["long names with long names in them", () => draft({ ["k".repeat(1_000_000)]: 1, ["l".repeat(1_000_000)]: 2 })],
    ["a list of invalid edges", () => draft({ definition: { nodes: [], edges: Array(100_000).fill(1) } })],
  ])("%s", async (_what, make) => {
    const body = make();
    const created = await bellhop.api("POST", BASE, body);
    const text = await created.text();
    expect([created.status, text.length < LARGEST]).toEqual([400, true]);
    const { detail, errors = [] } = problemSchema.parse(JSON.parse(text));
    expect(errors.length).toBeLessThanOrEqual(101);
    const count = /^(\d+) things/u.exec(detail)?.[1];
    const more = /^and (\d+) more$/u.exec(errors.at(-1)?.message ?? "")?.[1];
    if (errors.length === 101) expect(Number(count)).toBe(100 + Number(more));
    const validity = await bellhop.api("POST", `${BASE}/validate`, body);
    expect((await validity.text()).length).toBeLessThan(LARGEST);
  });

  test.each<[string, string]>([
    ["unknown fields", JSON.stringify(unknown(60_000))],
    ["an endless tag", "!".repeat(1_000_000)],
    ["an endless tag that is one", `a: !${"b".repeat(900_000)} c`],
    ["an endless name", `? ${"a".repeat(900)}\n: !x y\n${"k".repeat(900_000)}: *x`],
    ["an endless number", `a: ${"9".repeat(900_000)}`],
    ["brackets without end", "[".repeat(1_000_000)],
    ["braces without end", "{".repeat(1_000_000)],
    ["lists in lists without end", "- ".repeat(300_000)],
  ])("to an import: %s", async (_what, text) => {
    for (const query of ["?dryRun=true", ""]) {
      const response = await fetch(`${bellhop.url}${BASE}/import${query}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/yaml" },
        body: text,
      });
      expect(response.status).toBe(query === "" ? 400 : 200);
      const answer = await response.text();
      expect(answer.length).toBeLessThan(LARGEST);
      expect(answer).not.toContain("regular expression");
    }
  });
});

describe("a problem in one field hides no other problem", () => {
  const script = (id: string, more: object = {}) => ({
    id,
    type: "action",
    action: "script.bash",
    connectionId: "con_none",
    params: { script: "echo {{nodes.none.output}}", shell: "zsh" },
    ...more,
  });
  const own = ["connectionId", "params.script", "params.shell"];
  const at = (place: string, ...fields: string[]) => fields.map((field) => `definition.${place}.${field}`);

  test.each<[string, object[], string[]]>([
    [
      "of an action",
      [script("u"), script("v", { timeoutSeconds: -1 })],
      [...at("nodes.0", ...own), ...at("nodes.1", ...own, "timeoutSeconds")],
    ],
    [
      "several of one action, its id among them",
      [script("9 lives", { connectionId: 5, retry: { maxAttempts: 0 }, colour: "red", name: 1 })],
      at(
        "nodes.0",
        "colour",
        "connectionId",
        "id",
        "name",
        "params.script",
        "params.shell",
        "retry.backoffSeconds",
        "retry.maxAttempts",
      ),
    ],
    [
      "in the body of a forEach, which itself is wrong",
      [
        {
          id: "each",
          type: "forEach",
          items: "no list",
          concurrency: 0,
          body: { nodes: [script("v", { timeoutSeconds: -1 }), { id: "w", type: "moon" }], edges: [] },
        },
      ],
      [
        ...at("nodes.0.body.nodes.0", ...own, "timeoutSeconds"),
        ...at("nodes.0", "body.nodes.1.type", "concurrency", "items"),
      ],
    ],
    [
      "of a condition among others",
      [
        {
          id: "if",
          type: "condition",
          when: {
            logic: "all",
            conditions: [
              { field: "no path", operator: "exists" },
              { field: "webhook.a", operator: "is" },
              {
                logic: "any",
                conditions: [
                  { field: "no path", operator: "exists" },
                  { field: 1, operator: "exists" },
                ],
              },
            ],
          },
        },
      ],
      at("nodes.0.when.conditions", "0.field", "1.operator", "2.conditions.0.field", "2.conditions.1.field"),
    ],
    [
      "of a sub-workflow and an approval",
      [
        { id: "sub", type: "workflow", workflowId: "", variables: { a: "{{moon.x}}" } },
        { id: "ask", type: "approval", message: "{{moon.x}}", timeoutSeconds: 0 },
      ],
      [...at("nodes.0", "variables.a", "workflowId"), ...at("nodes.1", "message", "timeoutSeconds")],
    ],
  ])("%s", async (_what, nodes, paths) => {
    expect(sorted(await errorsOf(graph(nodes)))).toEqual(paths.toSorted());
  });

  test("a node's edges are checked although one of its fields is wrong", async () => {
    const nodes = [
      { id: "a", type: "delay", seconds: 0 },
      { id: "b", type: "delay", seconds: 1 },
    ];
    const edges = [{ from: "a", to: "b", on: "true" }];
    expect(sorted(await errorsOf(draft({ definition: { nodes, edges } })))).toEqual([
      "definition.edges.0.on",
      "definition.nodes.0.seconds",
    ]);
  });
});

describe("a limit is reported as a limit", () => {
  const delay = { id: "d", type: "delay", seconds: 1 };
  const each = (levels: number, innermost: object = delay): object =>
    levels === 0
      ? innermost
      : { id: `e${levels}`, type: "forEach", items: "[1]", body: { nodes: [each(levels - 1, innermost)], edges: [] } };
  const group = (levels: number): object => ({
    logic: "all",
    conditions: levels === 1 ? [{ field: "webhook.a", operator: "exists" }] : [group(levels - 1)],
  });
  const condition = (levels: number) => ({ id: "if", type: "condition", when: group(levels) });

  test("of forEach in forEach, at the first one beyond it", async () => {
    expect(await errorsOf(graph([each(4)]))).toEqual([]);
    for (const levels of [5, 9]) {
      expect(await errorsOf(graph([each(levels)]))).toMatchObject([
        {
          path: `definition.nodes.0${".body.nodes.0".repeat(4)}`,
          message: expect.stringContaining("nests For each deeper than 5 levels"),
        },
      ]);
    }
  });

  test("of forEach in forEach, together with the problems further inside", async () => {
    const inside = (levels: number) => `definition.nodes.0${".body.nodes.0".repeat(levels)}`;
    expect(sorted(await errorsOf(graph([each(5, { ...delay, seconds: 0 })])))).toEqual([
      inside(4),
      `${inside(5)}.seconds`,
    ]);
  });

  test("of conditions in conditions, at the first group beyond it", async () => {
    expect(await errorsOf(graph([condition(10)]))).toEqual([]);
    expect(await errorsOf(graph([condition(11)]))).toMatchObject([
      {
        path: `definition.nodes.0.when${".conditions.0".repeat(10)}`,
        message: expect.stringContaining("nests conditions deeper than 10 levels"),
      },
    ]);
  });

  test("a value that is not an object is reported as such", async () => {
    for (const body of [[1], "x", 5]) {
      expect(await errorsOf(body)).toMatchObject([{ path: "", message: "must be an object" }]);
    }
    expect(sorted(await errorsOf({}))).toEqual(["definition", "name", "trigger"]);
  });
});

test("a workflow can be saved in the form in which the API shows it", async () => {
  const made = await createWorkflow(bellhop);
  const { name, description, trigger, definition } = made;
  expect(description).toBeNull();
  const put = await bellhop.api("PUT", `${BASE}/${made.id}`, { name, description, trigger, definition });
  expect(put.status).toBe(200);
  expect(z.object({ data: z.unknown() }).parse(await put.json()).data).toMatchObject({ description: null, definition });
});
