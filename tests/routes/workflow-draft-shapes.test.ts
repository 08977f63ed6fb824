import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema } from "../../schema/contract/management.ts";
import { WORKFLOW_MAX_NODES } from "../../schema/limits.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { call, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const delay = (id: string, seconds: unknown = 1) => ({ id, type: "delay", seconds });
const workflow = (definition: object, others: object = {}) => ({
  name: "a draft",
  trigger: { type: "webhook" },
  definition: { edges: [], ...definition },
  ...others,
});
const post = (body: object) => call(bellhop, "POST", "/workflows", body);

describe("a shape that no draft has", () => {
  const deep = (levels: number): object =>
    levels === 0
      ? delay("a")
      : { id: `e${levels}`, type: "forEach", items: "[]", body: { nodes: [deep(levels - 1)], edges: [] } };
  const group = (levels: number): object =>
    levels === 0 ? { field: "a", operator: "exists" } : { logic: "all", conditions: [group(levels - 1)] };
  const many = (count: number) => Array.from({ length: count }, (_, index) => delay(`n${index}`));
  const cases: readonly (readonly [what: string, body: object, paths: readonly string[]])[] = [
    ["a name that is empty", { ...workflow({ nodes: [] }), name: " " }, ["name"]],
    ["a name that is no text", { ...workflow({ nodes: [] }), name: 5 }, ["name"]],
    ["a long description", { ...workflow({ nodes: [] }), description: "x".repeat(2_001) }, ["description"]],
    ["an unknown field", { ...workflow({ nodes: [] }), owner: "me" }, ["owner"]],
    ["nothing at all", {}, ["definition", "name", "trigger"]],
    ["no list of nodes", workflow({ nodes: "many" }), ["definition.nodes"]],
    ["a node that is no object", workflow({ nodes: [5] }), ["definition.nodes.0"]],
    ["a node of an unknown type", workflow({ nodes: [{ id: "a", type: "loop" }] }), ["definition.nodes.0.type"]],
    [
      "an unknown action",
      workflow({ nodes: [{ id: "a", type: "action", action: "script.fish" }] }),
      ["definition.nodes.0.action"],
    ],
    ["an unknown field of a node", workflow({ nodes: [{ ...delay("a"), run: "x" }] }), ["definition.nodes.0.run"]],
    ["a missing field", workflow({ nodes: [{ id: "a", type: "delay" }] }), ["definition.nodes.0.seconds"]],
    ["a field of another type", workflow({ nodes: [delay("a", "1")] }), ["definition.nodes.0.seconds"]],
    ["an id that is no id", workflow({ nodes: [delay("a.b")] }), ["definition.nodes.0.id"]],
    [
      "an edge without its end",
      workflow({ nodes: [], edges: [{ from: "a", on: "success" }] }),
      ["definition.edges.0.to"],
    ],
    [
      "an edge of an unknown outcome",
      workflow({ nodes: [], edges: [{ from: "a", to: "b", on: "done" }] }),
      ["definition.edges.0.on"],
    ],
    ["a trigger of an unknown type", workflow({ nodes: [] }, { trigger: { type: "mail" } }), ["trigger.type"]],
    ["too many nodes in one graph", workflow({ nodes: many(WORKFLOW_MAX_NODES + 1) }), ["definition.nodes"]],
    [
      "too many nodes in all graphs",
      workflow({ nodes: [...many(WORKFLOW_MAX_NODES - 1), deep(1)] }),
      ["definition.nodes"],
    ],
    [
      "too many nested forEach nodes",
      workflow({ nodes: [deep(5)] }),
      ["definition.nodes.0.body.nodes.0.body.nodes.0.body.nodes.0.body.nodes.0"],
    ],
    [
      "too many nested conditions",
      workflow({ nodes: [{ id: "a", type: "condition", when: group(12) }] }),
      [`definition.nodes.0.when${".conditions.0".repeat(10)}`],
    ],
    ["a position far away", workflow({ nodes: [], layout: { a: { x: 1e9, y: 0 } } }), ["definition.layout.a.x"]],
    ["a draft that is neither true nor false", { ...workflow({ nodes: [delay("a")] }), draft: "yes" }, ["draft"]],
  ];

  test.each(cases)("is refused with its path: %s", async (_what, body, paths) => {
    expect(await errorPathsOf(await post({ draft: true, ...body }))).toEqual([...paths]);
  });

  test("is refused when it is nested too deep for JSON", async () => {
    let value: unknown = 1;
    for (let level = 0; level < 80; level += 1) value = [value];
    const node = { id: "a", type: "action", action: "http.request", params: { body: value } };
    await problemOf(await post({ ...workflow({ nodes: [node] }), draft: true }), 400, "invalid_request");
  });

  test("does not change the draft that is stored", async () => {
    const made = await dataOf(await post({ ...workflow({ nodes: [] }), draft: true }), 201, workflowSchema);
    const path = `/workflows/${made.id}`;
    const refused = await call(bellhop, "PUT", path, { ...workflow({ nodes: [5] }), draft: true });
    await problemOf(refused, 400, "invalid_request");
    expect((await dataOf(await call(bellhop, "GET", path), 200, workflowSchema)).revision).toBe(made.revision);
  });
});
