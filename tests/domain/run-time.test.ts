import { describe, expect, test } from "bun:test";
import { Engine, action, edges } from "./engine.ts";

describe("time: retries and delays", () => {
  test("a retry waits for its backoff and gets a new job, whose report alone counts", () => {
    const engine = Engine.start(
      [action("a", { retry: { maxAttempts: 2, backoffSeconds: 1.5 } }), action("b")],
      edges("a -> b"),
    );
    const first = engine.report("a");
    engine.fail("a", { output: { exitCode: 1 } });
    expect(engine.run("a")).toMatchObject({
      status: "waiting",
      attempt: 1,
      error: { code: "nonzero_exit" },
      output: { exitCode: 1 },
    });
    expect(engine.state.wakeAt).toBe(engine.now + 1_500);
    expect(engine.wake(1_499)).toEqual([]);
    engine.apply({ type: "jobFinished", report: first });
    expect(engine.run("a").status).toBe("waiting");
    engine.wake(1);
    expect(engine.run("a")).toMatchObject({ status: "running", attempt: 2, error: null });
    expect(engine.run("a").jobId).not.toBe(first.jobId);
    expect(engine.state.wakeAt).toBeNull();
    engine.apply({ type: "jobFinished", report: first });
    expect(engine.run("a").status).toBe("running");
    engine.end("a");
    expect(engine.statuses).toEqual({ a: "succeeded", b: "running" });
  });

  test("a node fails after its last attempt", () => {
    const engine = Engine.start([action("a", { retry: { maxAttempts: 2, backoffSeconds: 0 } })]);
    engine.fail("a");
    engine.wake(0);
    engine.end("a", { status: "timed_out" });
    expect(engine.run("a")).toMatchObject({ status: "timed_out", attempt: 2 });
    expect(engine.state.status).toBe("failed");
  });

  test.each([
    ["an unsafe action", action("a"), "failed"],
    ["a read", action("a", { action: "http.request", connectionId: "http", params: { path: "/" } }), "waiting"],
    [
      "a method that is a template",
      action("a", { action: "http.request", connectionId: "http", params: { method: "{{webhook.m}}" } }),
      "failed",
    ],
  ] as const)("a lost job is tried again only when a repeat is safe: %s", (_, node, expected) => {
    const engine = Engine.start([{ ...node, retry: { maxAttempts: 5, backoffSeconds: 1 }, onAgentLost: "retry" }], [], {
      trigger: { type: "webhook", variables: { m: "GET" } },
    });
    engine.fail("a", { lost: true });
    expect(engine.run("a").status).toBe(expected);
  });

  test("a delay continues after its seconds, and the execution wakes at the earliest time of its nodes", () => {
    const engine = Engine.start(
      [{ id: "long", type: "delay", seconds: 60 }, { id: "short", type: "delay", seconds: 5 }, action("b")],
      edges("short -> b"),
    );
    expect(engine.statuses).toEqual({ long: "waiting", short: "waiting", b: "pending" });
    expect(engine.state.wakeAt).toBe(engine.now + 5_000);
    engine.wake(5_000);
    expect(engine.statuses["b"]).toBe("running");
    expect(engine.state.wakeAt).toBe(engine.now + 55_000);
    engine.end("b");
    engine.wake(55_000);
    expect(engine.state).toMatchObject({ status: "succeeded", wakeAt: null });
  });
});

describe("cancel", () => {
  test("running nodes and their jobs are cancelled, other nodes are skipped, and later reports change nothing", () => {
    const engine = Engine.start(
      [
        action("a"),
        { id: "d", type: "delay", seconds: 60 },
        action("r", { retry: { maxAttempts: 2, backoffSeconds: 9 } }),
        action("b"),
      ],
      edges("a -> b"),
    );
    engine.fail("r");
    const report = engine.report("a");
    const effects = engine.apply({ type: "cancelled", by: "ann@example.com" });
    expect(effects).toEqual([
      { type: "cancelJob", jobId: report.jobId },
      { type: "executionEnded", status: "cancelled" },
    ]);
    expect(engine.statuses).toEqual({ a: "cancelled", d: "cancelled", r: "cancelled", b: "skipped" });
    expect(engine.state).toMatchObject({
      status: "cancelled",
      wakeAt: null,
      finishedAt: engine.now,
      error: { code: "cancelled" },
    });
    const ended = engine.state;
    engine.apply({ type: "jobFinished", report });
    engine.wake(100_000);
    expect(engine.state).toBe(ended);
  });

  test("an execution that has not begun can be cancelled", () => {
    const engine = new Engine({ nodes: [], edges: [] });
    engine.apply({ type: "cancelled", by: "ann" });
    expect(engine.state).toMatchObject({ status: "cancelled", revision: 1 });
  });
});
