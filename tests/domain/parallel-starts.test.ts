import { expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Edge } from "../../schema/contract/workflow.ts";
import { checkDefinition } from "../../worker/domain/graph/check-definition.ts";
import { LOOKUP, action, define, edges } from "./engine.ts";

test.each<[string, readonly JsonObject[], readonly Edge[], string[]]>([
  ["the only node", [action("a")], [], []],
  ["two nodes without edges", [action("a"), action("b")], [], ["nodes.1"]],
  ["a node next to a path", [action("x"), action("a"), action("b")], edges("a -> b"), ["nodes.0"]],
  ["two paths side by side", [action("a"), action("b"), action("c"), action("d")], edges("a -> b", "c -> d"), []],
  ["an errorHandler of the whole workflow", [action("a"), { id: "h", type: "errorHandler" }], [], []],
  [
    "a node in a forEach",
    [{ id: "f", type: "forEach", items: "[1]", body: { nodes: [action("a"), action("b")], edges: [] } }],
    [],
    ["nodes.0.body.nodes.1"],
  ],
])("%s: warnings that a node starts in parallel", (_name, nodes, graphEdges, expected) => {
  const { problems, warnings } = checkDefinition(define(nodes, graphEdges), [{ type: "webhook" }], LOOKUP);
  expect(problems).toEqual([]);
  expect(warnings.map(({ path }) => path)).toEqual(expected);
  for (const { message } of warnings) expect(message).toStartWith("starts immediately, in parallel with a: ");
});
