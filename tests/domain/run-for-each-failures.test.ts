import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { keptRuns } from "../../worker/actors/run/engine/keep-runs.ts";
import { Engine, action, define, edges, problemsOf } from "./engine.ts";
import { begun, endAt, loop, over, runAt } from "./for-each.ts";

const items = (count: number) => Array.from({ length: count }, (_, index) => `host-${index}`);
const when = (field: string, operator: string, value: number | string) => ({
  logic: "all",
  conditions: [{ field, operator, value }],
});

/** Runs a loop to its end, one item after the other; these items fail. */
function runThrough(count: number, more: JsonObject, failing: readonly number[]): Engine {
  const engine = over(items(count), [loop([action("do")], more)]);
  for (let next = 0; next < count && begun(engine, "do").includes(next); next += 1) {
    endAt(engine, "do", [next], failing.includes(next));
  }
  return engine;
}

describe("failures that a forEach allows", () => {
  test.each<[string, JsonObject, number[], string, JsonObject]>([
    ["by default none", {}, [1], "failed", { failed: 1, notStarted: 8 }],
    ["a number, and one more ends it", { maxFailures: 2 }, [1, 2, 4], "failed", { failed: 3, notStarted: 5 }],
    [
      "a number, and it fails although all items ran",
      { maxFailures: 2 },
      [1, 2],
      "failed",
      { failed: 2, notStarted: 0 },
    ],
    ["a percentage", { maxFailures: "20%" }, [0, 1, 2], "failed", { failed: 3, notStarted: 7 }],
    ["a percentage, rounded down", { maxFailures: "19%" }, [0, 1], "failed", { failed: 2, notStarted: 8 }],
    ["all of them", { continueOnError: true }, [0, 5, 9], "succeeded", { failed: 3, notStarted: 0 }],
    [
      "a number, and it succeeds",
      { continueOnError: true, maxFailures: 2 },
      [1, 2],
      "succeeded",
      { failed: 2, notStarted: 0 },
    ],
    [
      "a number that is exceeded",
      { continueOnError: true, maxFailures: 1 },
      [1, 2],
      "failed",
      { failed: 2, notStarted: 7 },
    ],
  ])("%s", (_case, more, failing, status, counts) => {
    const engine = runThrough(10, more, failing);
    expect(engine.run("loop")).toMatchObject({ status, output: { total: 10, ...counts } });
    expect(engine.state.status).toBe(status === "failed" ? "failed" : "succeeded");
  });

  test("that ended successfully are kept by a retry of what comes after", () => {
    const nodes = [loop([action("do")], { continueOnError: true }), action("after")];
    const engine = over(items(2), nodes, edges("loop -> after"));
    endAt(engine, "do", [0], true);
    endAt(engine, "do", [1]);
    engine.end("after", { status: "failed" });
    const kept = keptRuns(define(nodes, edges("loop -> after")), engine.state, ({ id }) => `kept_${id}`);
    expect(kept.map(({ nodeId, status }) => `${nodeId} ${status}`)).toEqual([
      "loop succeeded",
      "do failed",
      "do succeeded",
    ]);
  });
});

describe("batches", () => {
  test("begin when every item of the one before has ended", () => {
    const engine = over(items(5), [loop([action("do")], { batchSize: 2, concurrency: 2 })]);
    expect(begun(engine, "do")).toEqual([0, 1]);
    expect(engine.run("loop").output).toEqual({ batch: 1, batches: 3 });
    endAt(engine, "do", [1]);
    expect(begun(engine, "do")).toEqual([0, 1]);
    endAt(engine, "do", [0]);
    expect(begun(engine, "do")).toEqual([0, 1, 2, 3]);
    expect(engine.run("loop").output).toEqual({ batch: 2, batches: 3 });
  });

  test("run their items one by one by default", () => {
    const engine = over(items(4), [loop([action("do")], { batchSize: 2 })]);
    expect(begun(engine, "do")).toEqual([0]);
    endAt(engine, "do", [0]);
    expect(begun(engine, "do")).toEqual([0, 1]);
  });

  test("have a pause between them, which outlives a restart", () => {
    const engine = over(items(2), [loop([action("do")], { batchSize: 1, pauseSeconds: 30 })]);
    const began = engine.now;
    endAt(engine, "do", [0]);
    expect(engine.run("loop")).toMatchObject({ status: "waiting", wakeAt: began + 30_000 });
    expect(engine.state.wakeAt).toBe(began + 30_000);
    engine.now += 29_999;
    engine.apply({ type: "woken" });
    expect(begun(engine, "do")).toEqual([0]);
    engine.now += 1;
    engine.apply({ type: "woken" });
    expect(begun(engine, "do")).toEqual([0, 1]);
    expect(engine.run("loop")).toMatchObject({ status: "running", wakeAt: null });
    endAt(engine, "do", [1]);
    expect(engine.run("loop")).toMatchObject({ status: "succeeded", output: { succeeded: 2 } });
    expect(engine.state.wakeAt).toBeNull();
  });

  test.each(["cancelled", "superseded"] as const)("end at once in a pause when the run is %s", (type) => {
    const engine = over(items(2), [loop([action("do")], { batchSize: 1, pauseSeconds: 30 })]);
    endAt(engine, "do", [0]);
    engine.apply({ type, by: "exe_2" });
    expect(engine.state).toMatchObject({ status: "cancelled", wakeAt: null });
    expect(engine.run("loop").status).toBe("cancelled");
  });

  test("of a retry are those of the items that run again", () => {
    const nodes = [loop([action("do")], { batchSize: 1, maxFailures: 2, pauseSeconds: 30 })];
    const engine = over(items(3), nodes);
    for (const index of [0, 1, 2]) {
      endAt(engine, "do", [index], index !== 1);
      engine.now += 30_000;
      engine.apply({ type: "woken" });
    }
    expect(engine.state.status).toBe("failed");
    const trigger = { type: "webhook", variables: { items: items(3) } } as const;
    const again = new Engine(define(nodes), {
      trigger,
      kept: keptRuns(define(nodes), engine.state, ({ id }) => `k_${id}`),
    });
    again.apply({ type: "started" });
    expect(runAt(again, "do", 0).status).toBe("running");
    endAt(again, "do", [0]);
    expect(again.run("loop").status).toBe("waiting");
    again.now += 30_000;
    again.apply({ type: "woken" });
    expect(runAt(again, "do", 2).status).toBe("running");
  });
});

describe("a check between batches", () => {
  const allowing = { batchSize: 2, continueOnError: true };

  test("that is not met fails the forEach, and no further item begins", () => {
    const engine = runThrough(6, { ...allowing, check: when("foreach.failed", "lessThan", 1) }, [2]);
    expect(engine.run("loop")).toMatchObject({
      status: "failed",
      output: { total: 6, succeeded: 3, failed: 1, notStarted: 2 },
      error: {
        code: "check_failed",
        message:
          "The check before batch 3 of 3 is not met, so no further item begins: of 6 items, 3 succeeded, 1 failed, and 2 were not started.",
      },
    });
    expect(begun(engine, "do")).toEqual([0, 1, 2, 3]);
  });

  test.each<[string, string, number | string]>([
    ["foreach.total", "equals", 4],
    ["foreach.succeeded", "equals", 1],
    ["foreach.failed", "equals", 1],
    ["foreach.notStarted", "equals", 2],
    ["foreach.results.0.outputs.do.stdout", "equals", "do 0"],
    ["webhook.items.0", "equals", "host-0"],
  ])("knows %s", (field, operator, value) => {
    expect(runThrough(4, { ...allowing, check: when(field, operator, value) }, [1]).state.status).toBe("succeeded");
  });

  test("knows the forEach around as foreach.parent", () => {
    const inner = {
      id: "inner",
      type: "forEach",
      items: '["x","y"]',
      batchSize: 1,
      check: when("foreach.parent.item", "equals", "{{foreach.parent.item}}"),
      body: { nodes: [action("do")], edges: [] },
    };
    const engine = over(["a"], [loop([inner])]);
    endAt(engine, "do", [0, 0]);
    expect(runAt(engine, "do", 0, 1).status).toBe("running");
  });

  test("with a value that cannot be filled in fails the forEach", () => {
    const engine = over(items(2), [
      loop([action("do")], { batchSize: 1, check: when("webhook.none | required", "equals", 1) }),
    ]);
    endAt(engine, "do", [0]);
    expect(engine.run("loop")).toMatchObject({
      status: "failed",
      error: { code: "empty_value" },
      output: { notStarted: 1 },
    });
  });

  test("is made after the pause", () => {
    const check = when("foreach.failed", "equals", 1);
    const engine = over(items(2), [loop([action("do")], { batchSize: 1, pauseSeconds: 5, check })]);
    endAt(engine, "do", [0]);
    expect(engine.run("loop").status).toBe("waiting");
    engine.now += 5_000;
    engine.apply({ type: "woken" });
    expect(engine.run("loop")).toMatchObject({ status: "failed", wakeAt: null, error: { code: "check_failed" } });
  });
});

describe("when it is saved", () => {
  const problems = (more: JsonObject) => problemsOf(define([loop([action("do")], more)]));

  test.each<[JsonObject, string, string]>([
    [{ continueOnError: true, maxFailures: 0 }, "maxFailures", "continueOnError does nothing"],
    [{ pauseSeconds: 5 }, "pauseSeconds", "without batchSize"],
    [{ check: when("foreach.failed", "equals", 0) }, "check", "without batchSize"],
    [{ batchSize: 2, concurrency: 3 }, "concurrency", "at most batchSize"],
    [{ batchSize: 2, check: { logic: "all", conditions: [] } }, "check.conditions", "at least one condition"],
    [{ batchSize: 2, check: when("foreach.item", "equals", 1) }, "check.conditions.0.field", "in a check, foreach has"],
    [
      { batchSize: 2, check: when("foreach.faild", "equals", 1) },
      "check.conditions.0.field",
      "in a check, foreach has",
    ],
    [{ batchSize: 2, check: when("foreach.failed.x", "equals", 1) }, "check.conditions.0.field", "is a number"],
    [
      { batchSize: 2, check: when("foreach.parent.item", "equals", 1) },
      "check.conditions.0.field",
      "inside a For each",
    ],
    [{ batchSize: 2, check: when("nodes.loop.status", "equals", 1) }, "check.conditions.0.field", "its own result"],
    [{ batchSize: 2, check: when("nodes.do.status", "equals", 1) }, "check.conditions.0.field", "there is no step do"],
  ])("%j is refused", (more, path, message) => {
    expect(problems(more)).toMatchObject([{ path: `nodes.0.${path}`, message: expect.stringContaining(message) }]);
  });

  test("a misspelt name in a check has a fix", () => {
    expect(problems({ batchSize: 2, check: when("foreach.faild", "equals", 1) })[0]?.fix).toMatchObject({
      title: "Use foreach.failed",
    });
  });

  test.each<JsonObject>([
    { maxFailures: -1 },
    { maxFailures: 1.5 },
    { maxFailures: 1_001 },
    { maxFailures: "0%" },
    { maxFailures: "101%" },
    { maxFailures: "5" },
    { maxFailures: "five" },
    { maxFailures: null },
    { continueOnError: "yes" },
    { batchSize: 0 },
    { batchSize: 1_001 },
    { batchSize: "2" },
    { batchSize: 2, pauseSeconds: -1 },
    { batchSize: 2, pauseSeconds: 3_601 },
    { batchSize: 2, check: [] },
  ])("%j has a wrong shape", (more) => {
    expect(() => define([loop([action("do")], more)])).toThrow();
  });
});
