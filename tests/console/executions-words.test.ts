import { expect, test } from "bun:test";
import { failedNodes } from "../../console/views/executions/failed-nodes.ts";

test("of the failures that were handled each node is named once, whatever its iterations", () => {
  const runs = [
    { nodeId: "look", status: "succeeded" },
    { nodeId: "mend", status: "failed" },
    { nodeId: "mend", status: "failed" },
    { nodeId: "page", status: "timed_out" },
    { nodeId: "wait", status: "skipped" },
  ] as const;
  expect(failedNodes(runs)).toEqual(["mend", "page"]);
  expect(failedNodes([])).toEqual([]);
});
