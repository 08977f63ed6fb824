import { describe, expect, test } from "bun:test";
import type { ExecutionView, NodeRunView } from "../../schema/contract/execution.ts";
import type { Definition } from "../../schema/contract/workflow.ts";
import { action, condition, done, edges, execution, loop, run, timeline } from "./timeline-scene.ts";

describe("the critical path", () => {
  const branches = {
    nodes: ["start", "slow", "fast", "end"].map(action),
    edges: edges("start slow", "start fast", "slow end", "fast end"),
  };
  const body = loop("each", [action("work"), action("check")], edges("work check"));
  const items = (...spans: [number, number][]) =>
    spans.flatMap(([from, to], index) => [
      done("work", from, to - 1, { iteration: [index] }),
      done("check", to - 1, to, { iteration: [index] }),
    ]);
  const CASES: [
    name: string,
    definition: Definition,
    runs: NodeRunView[],
    path: string[],
    more?: Partial<ExecutionView>,
  ][] = [
    ["is one step", { nodes: [action("a")], edges: [] }, [done("a", 0, 5)], ["a"]],
    [
      "takes the slower of two branches",
      branches,
      [done("start", 0, 1), done("slow", 1, 9), done("fast", 1, 3), done("end", 9, 10)],
      ["start", "slow", "end"],
    ],
    [
      "ends with the step that still runs",
      branches,
      [
        done("start", 0, 1),
        run("slow", "running", { queued: 1, started: 2 }),
        done("fast", 1, 3),
        run("end", "pending"),
      ],
      ["start", "slow"],
      { status: "running", finishedAt: null },
    ],
    [
      "follows the branch of a condition, and not the skipped one",
      {
        nodes: [action("a"), condition("if"), action("yes"), action("no")],
        edges: edges("a if", "if yes true", "if no false"),
      },
      [done("a", 0, 2), done("if", 2, 2, { outcome: "true" }), done("yes", 2, 8), run("no", "skipped")],
      ["a", "if", "yes"],
    ],
    [
      "includes a step that a join waited for although its edge was not taken",
      { nodes: ["late", "soon", "join"].map(action), edges: edges("late join failure", "soon join") },
      [done("late", 0, 9), done("soon", 0, 1), done("join", 9, 10)],
      ["late", "join"],
    ],
    [
      "goes through a skipped step to the one before it",
      {
        nodes: ["late", "skipped", "soon", "join"].map(action),
        edges: edges("late skipped failure", "skipped join", "soon join"),
      },
      [done("late", 0, 9), run("skipped", "skipped"), done("soon", 0, 1), done("join", 9, 10)],
      ["late", "join"],
    ],
    [
      "goes from an error handler to the step that failed",
      {
        nodes: [action("a"), action("b"), { id: "handle", type: "errorHandler" }, action("page")],
        edges: edges("a b", "handle page"),
      },
      [
        done("a", 0, 1),
        run("b", "failed", { queued: 1, started: 2, finished: 4 }),
        done("handle", 4, 4, { output: { nodeId: "b" } }),
        done("page", 4, 6),
      ],
      ["a", "b", "handle", "page"],
    ],
    [
      "follows the iterations that one place of a forEach ran after each other",
      { nodes: [body, action("after")], edges: edges("each after") },
      [done("each", 0, 20), ...items([0, 6], [0, 10], [6, 9], [10, 20]), done("after", 20, 21)],
      ["each", "work#3", "check#3", "work#1", "check#1", "after"],
    ],
    [
      "has the last attempt of a step with a retry",
      { nodes: [action("a"), action("b")], edges: edges("a b") },
      [done("a", 0, 1), done("b", 30, 40, { attempt: 3 })],
      ["a", "b"],
    ],
    [
      "leaves out what an earlier run did",
      { nodes: [action("a"), action("b")], edges: edges("a b") },
      [done("a", -60, -50), done("b", 0, 5)],
      ["b"],
      { retryOf: "exe_0" },
    ],
    ["is empty before anything began", { nodes: [action("a")], edges: [] }, [run("a", "pending")], []],
  ];
  test.each(CASES)("%s", (_name, definition, runs, path, more = {}) => {
    const { rows } = timeline(execution(runs, more), definition);
    const found = rows.filter(({ isCritical, isItem }) => isCritical && !isItem).map(({ run: of }) => of?.id ?? "");
    expect(found.toSorted()).toEqual(path.toSorted());
  });
});
