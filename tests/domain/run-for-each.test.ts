import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { action, edges } from "./engine.ts";
import { begun, endAt, loop, over, runAt } from "./for-each.ts";

describe("iterations", () => {
  test("run in parallel up to concurrency, and their results are in the order of the items", () => {
    const engine = over(
      ["a", "b", "c"],
      [loop([action("do")], { concurrency: 2 }), action("after")],
      edges("loop -> after"),
    );
    expect(begun(engine, "do")).toEqual([0, 1]);
    endAt(engine, "do", [1]);
    expect(begun(engine, "do")).toEqual([0, 1, 2]);
    endAt(engine, "do", [2]);
    expect(engine.run("loop").status).toBe("running");
    endAt(engine, "do", [0]);
    expect(engine.run("loop")).toMatchObject({
      status: "succeeded",
      outcome: "success",
      output: {
        total: 3,
        succeeded: 3,
        failed: 0,
        notStarted: 0,
        results: [0, 1, 2].map((index) => ({
          index,
          status: "succeeded",
          outputs: { do: { stdout: `do ${index}` } },
        })),
      },
    });
    expect(engine.run("after").status).toBe("running");
  });

  test("run one by one by default", () => {
    const engine = over([1, 2], [loop([action("do")])]);
    expect(begun(engine, "do")).toEqual([0]);
    endAt(engine, "do", [0]);
    expect(begun(engine, "do")).toEqual([0, 1]);
  });

  test("see their item, its index, the total, their own nodes and the nodes before the forEach", () => {
    const say = (id: string, env: JsonObject) => action(id, { params: { script: "true", env } });
    const engine = over(
      [{ host: "web-1" }, { host: "web-2" }],
      [
        action("first"),
        loop(
          [
            say("look", { H: "{{foreach.item.host}}", I: "{{foreach.index}}/{{foreach.total}}" }),
            say("notify", { L: "{{nodes.look.output.stdout}}", F: "{{nodes.first.output.stdout}}" }),
          ],
          {},
          edges("look -> notify"),
        ),
      ],
      edges("first -> loop"),
    );
    engine.end("first");
    expect(engine.orders.at(-1)?.values).toMatchObject({ H: "web-1", I: "0/2" });
    endAt(engine, "look", [0]);
    expect(engine.orders.at(-1)?.values).toMatchObject({ L: "look 0", F: "output of first" });
    endAt(engine, "notify", [0]);
    expect(engine.orders.at(-1)?.values).toMatchObject({ H: "web-2", I: "1/2" });
  });

  test("nest: the inner body sees the outer item, and each iteration has its own node runs", () => {
    const inner = {
      id: "inner",
      type: "forEach",
      items: "{{foreach.item.ports}}",
      concurrency: 5,
      body: {
        nodes: [
          action("do", { params: { script: "true", env: { X: "{{foreach.parent.item.host}}:{{foreach.item}}" } } }),
        ],
        edges: [],
      },
    };
    const engine = over(
      [
        { host: "a", ports: [1, 2] },
        { host: "b", ports: [3] },
      ],
      [loop([inner], { concurrency: 2 })],
    );
    expect(engine.orders.map(({ values }) => values)).toEqual([{ X: "a:1" }, { X: "a:2" }, { X: "b:3" }]);
    for (const path of [
      [0, 1],
      [1, 0],
      [0, 0],
    ])
      endAt(engine, "do", path);
    expect(engine.state.status).toBe("succeeded");
    expect(runAt(engine, "inner", 0).output).toMatchObject({ total: 2, results: [{ index: 0 }, { index: 1 }] });
    expect(engine.state.nodeRuns.map(({ nodeId, path }) => `${nodeId}@${path.join(".")}`).sort()).toEqual(
      ["loop@", "inner@0", "inner@1", "do@0.0", "do@0.1", "do@1.0"].sort(),
    );
  });

  test("over an empty list succeed in the same step", () => {
    const engine = over([], [loop([action("do")]), action("after")], edges("loop -> after"));
    expect(engine.run("loop")).toMatchObject({ status: "succeeded", output: { total: 0, results: [] } });
    expect(engine.run("after").status).toBe("running");
  });

  test("may come from a text that is a JSON list, as scripts print it", () => {
    const engine = over(' ["a", "b"]\n', [loop([action("do")], { concurrency: 9 })]);
    expect(begun(engine, "do")).toEqual([0, 1]);
  });

  test("run a thousand items in one step when they need no agent", () => {
    const when = { logic: "all", conditions: [{ field: "foreach.index", operator: "exists" }] };
    const engine = over(
      Array.from({ length: 1_000 }, (_, index) => index),
      [loop([{ id: "is", type: "condition", when }])],
    );
    expect(engine.state).toMatchObject({ status: "succeeded", revision: 1 });
    expect(engine.run("loop").output).toMatchObject({ total: 1_000, succeeded: 1_000 });
  });
});

describe("failures in a forEach", () => {
  test("no iteration starts after one failed, and running iterations continue to their end", () => {
    const engine = over(["a", "b", "c", "d"], [loop([action("do")], { concurrency: 2 })]);
    endAt(engine, "do", [0], true);
    expect(begun(engine, "do")).toEqual([0, 1]);
    expect(engine.state.status).toBe("running");
    endAt(engine, "do", [1]);
    expect(engine.run("loop")).toMatchObject({
      status: "failed",
      error: {
        code: "iteration_failed",
        message: "1 of 4 items failed, and 2 were not started; item 1: do: It failed.",
      },
      output: { total: 4, succeeded: 1, failed: 1, notStarted: 2 },
    });
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "iteration_failed" } });
  });

  test("a failure that is handled inside the body does not count, and the other iterations run", () => {
    const body = [action("do"), action("repair")];
    const engine = over(["a", "b"], [loop(body, {}, edges("do -failure-> repair"))]);
    endAt(engine, "do", [0], true);
    endAt(engine, "repair", [0]);
    endAt(engine, "do", [1]);
    expect(engine.run("loop")).toMatchObject({ status: "succeeded", output: { succeeded: 2, failed: 0 } });
    expect(engine.state.status).toBe("succeeded");
  });

  test("a body's errorHandler handles its failures once in each iteration, and sees their error", () => {
    const notify = action("notify", { params: { script: "true", env: { W: "{{error.nodeId}}: {{error.message}}" } } });
    const body = [action("do"), { id: "rescue", type: "errorHandler" }, notify];
    const engine = over(["a", "b"], [loop(body, { concurrency: 2 }, edges("rescue -> notify"))]);
    endAt(engine, "do", [1], true);
    expect(engine.orders.at(-1)?.values).toMatchObject({ W: "do: It failed." });
    endAt(engine, "notify", [1]);
    endAt(engine, "do", [0]);
    expect(runAt(engine, "rescue", 0).status).toBe("skipped");
    expect(engine.state.status).toBe("succeeded");
  });

  test("name the steps as people do", () => {
    const engine = over(["a"], [{ ...loop([action("do", { name: "Restart it" })]), name: "All hosts" }]);
    endAt(engine, "do", [0], true);
    expect(engine.state.error?.message).toBe("All hosts: 1 of 1 items failed; item 1: Restart it: It failed.");
  });

  test("the workflow's errorHandler is entered by the forEach, not by a node of its body", () => {
    const notify = action("notify", { params: { script: "true", env: { W: "{{error.nodeId}} {{error.code}}" } } });
    const engine = over(
      ["a"],
      [loop([action("do")]), { id: "rescue", type: "errorHandler" }, notify],
      edges("rescue -> notify"),
    );
    endAt(engine, "do", [0], true);
    expect(engine.orders.at(-1)?.values).toMatchObject({ W: "loop iteration_failed" });
    engine.end("notify");
    expect(engine.state.status).toBe("succeeded");
  });

  test.each<[string, JsonValue | undefined, string, string]>([
    ["a text", "a text", "items_not_a_list", "is a text"],
    ["missing", undefined, "items_not_a_list", "is empty"],
    ["an object", { a: 1 }, "items_not_a_list", "is an object"],
    ["a number", 5, "items_not_a_list", "is a number"],
    ["broken JSON", "[1, 2", "items_not_a_list", "is a text"],
    ["more than a thousand entries", Array.from({ length: 1_001 }, () => 0), "too_many_iterations", "1001 items"],
  ])("items that are %s fail the node with the reason", (_, items, code, message) => {
    const engine = over(items, [loop([action("do")])]);
    expect(engine.run("loop")).toMatchObject({ status: "failed", error: { code } });
    expect(engine.run("loop").error?.message).toContain(message);
    expect(engine.orders).toEqual([]);
  });

  test("results that are too large fail the node, and their counts are kept", () => {
    const engine = over([1, 2, 3], [loop([action("do")], { concurrency: 3 })]);
    for (const index of [0, 1, 2]) {
      const { jobId, attempt } = runAt(engine, "do", index);
      const output = { stdout: "x".repeat(400_000) };
      engine.apply({ type: "jobFinished", report: engine.report("loop", { jobId: jobId ?? "", attempt, output }) });
    }
    expect(engine.run("loop")).toMatchObject({
      status: "failed",
      error: { code: "results_too_large" },
      output: { total: 3, succeeded: 3 },
    });
    expect(engine.run("loop").output).not.toHaveProperty("results");
  });

  test("outputs beyond an execution's limit fail the node that produced the last of them", () => {
    const engine = over(
      Array.from({ length: 40 }, (_, index) => index),
      [loop([action("do"), action("next")], { concurrency: 40 }, edges("do -> next"))],
    );
    for (let index = 0; index < 40; index += 1) {
      const { jobId, attempt } = runAt(engine, "do", index);
      const output = { stdout: "x".repeat(500_000) };
      engine.apply({ type: "jobFinished", report: engine.report("loop", { jobId: jobId ?? "", attempt, output }) });
    }
    expect(runAt(engine, "do", 32).status).toBe("succeeded");
    expect(runAt(engine, "do", 33)).toMatchObject({
      status: "failed",
      output: null,
      error: { code: "outputs_too_large" },
    });
  });

  test("a forEach with more node runs than an execution may have fails with that reason", () => {
    const when = { logic: "all", conditions: [{ field: "foreach.index", operator: "exists" }] };
    const body = Array.from({ length: 11 }, (_, index) => ({ id: `c${index}`, type: "condition", when }));
    const engine = over(
      Array.from({ length: 1_000 }, (_, index) => index),
      [loop(body)],
    );
    expect(engine.run("loop")).toMatchObject({ status: "failed", error: { code: "too_many_node_runs" } });
    expect(engine.state.nodeRuns.length).toBeLessThanOrEqual(10_000);
  });

  test("cancelling cancels every iteration's job and skips nodes that had not begun", () => {
    const engine = over(
      ["a", "b", "c"],
      [loop([action("do"), action("next")], { concurrency: 2 }, edges("do -> next"))],
    );
    const effects = engine.apply({ type: "cancelled", by: "ann" });
    expect(effects.filter(({ type }) => type === "cancelJob")).toHaveLength(2);
    expect(engine.state.status).toBe("cancelled");
    expect(runAt(engine, "next", 0).status).toBe("skipped");
    expect(engine.run("loop").status).toBe("cancelled");
  });

  test("a delay and a retry inside an iteration are due at their own times", () => {
    const body = [
      { id: "pause", type: "delay", seconds: 60 },
      action("do", { retry: { maxAttempts: 2, backoffSeconds: 5 } }),
    ];
    const engine = over(["a"], [loop(body, {}, edges("pause -> do"))]);
    expect(engine.state.wakeAt).toBe(engine.now + 60_000);
    engine.wake(60_000);
    endAt(engine, "do", [0], true);
    expect(runAt(engine, "do", 0)).toMatchObject({ status: "waiting", attempt: 1 });
    engine.wake(5_000);
    expect(runAt(engine, "do", 0)).toMatchObject({ status: "running", attempt: 2 });
    endAt(engine, "do", [0]);
    expect(engine.state.status).toBe("succeeded");
  });
});
