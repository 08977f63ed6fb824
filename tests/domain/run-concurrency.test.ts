import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../worker/actors/run/engine/types.ts";
import { Engine, action, define, edges } from "./engine.ts";

const NEWER = "exe_2";
const superseded: RunEvent = { type: "superseded", by: NEWER };
const read = (id: string) =>
  action(id, { action: "http.request", connectionId: "http", params: { method: "GET", path: "/" } });

function held(more: { until?: number; supersedes?: boolean } = {}): Engine {
  const { until, supersedes = false } = more;
  const engine = new Engine(define([action("run")]));
  const hold = { code: "concurrency", since: engine.now, ...(until === undefined ? {} : { until }) } as const;
  engine.apply({ type: "held", hold, supersedes });
  return engine;
}

describe("an execution that waits for its turn", () => {
  test("orders nothing until it is admitted, and its time limit counts from there", () => {
    const engine = held();
    expect(engine.state).toMatchObject({
      status: "running",
      revision: 1,
      begunAt: null,
      hold: { code: "concurrency" },
    });
    expect([engine.orders, engine.state.nodeRuns, engine.state.wakeAt]).toEqual([[], [], null]);
    engine.now += 60_000;
    engine.apply({ type: "admitted" });
    expect(engine.state).toMatchObject({ begunAt: engine.now, hold: null });
    expect(engine.statuses).toEqual({ run: "running" });
  });

  test.each<RunEvent>([
    { type: "started" },
    { type: "woken" },
    { type: "held", hold: { code: "concurrency", since: 0 }, supersedes: true },
    {
      type: "childEnded",
      report: { nodeRunId: "x", childExecutionId: "y", status: "succeeded", outputs: {}, error: null, approved: null },
    },
  ])("is not changed by %p", (event) => {
    const engine = held();
    const before = engine.state;
    expect(engine.apply(event)).toEqual([]);
    expect(engine.state).toBe(before);
  });

  test("begins once", () => {
    const engine = held();
    engine.apply({ type: "admitted" });
    const before = engine.state;
    engine.apply({ type: "admitted" });
    expect(engine.state).toBe(before);
  });

  test.each<[string, RunEvent, string, string]>([
    ["a person", { type: "cancelled", by: "user:usr_1" }, "cancelled", "cancelled"],
    ["a newer one", superseded, "cancelled", "superseded"],
    ["a refusal", { type: "refused", status: "failed", error: { code: "x", message: "y" } }, "failed", "x"],
  ])("ends without having begun by %s", (_by, event, status, code) => {
    const engine = held();
    expect(engine.apply(event)).toEqual([{ type: "executionEnded", status: engine.state.status as "cancelled" }]);
    expect(engine.state).toMatchObject({ status, error: { code }, hold: null });
    expect(engine.statuses).toEqual({ run: "skipped" });
  });

  test("repeats the call that ends the older ones, once", () => {
    const engine = held({ supersedes: true });
    expect(engine.effects).toEqual([{ type: "supersedeOlder" }]);
    expect(engine.wake(9_999)).toEqual([]);
    expect(engine.wake(1)).toEqual([{ type: "supersedeOlder" }]);
    expect(engine.state).toMatchObject({ wakeAt: null, hold: { code: "concurrency" } });
    expect(engine.wake(10_000)).toEqual([]);
  });

  test.each([true, false])("ends when its turn does not come in time (in place of older ones: %p)", (supersedes) => {
    const engine = held({ until: 1_800_000_000_000 + 60_000, supersedes });
    engine.wake(10_000);
    expect(engine.wake(49_999)).toEqual([]);
    expect(engine.wake(1)).toEqual([{ type: "executionEnded", status: "failed" }]);
    expect(engine.state.error?.code).toBe("turn_timeout");
  });
});

describe("an execution whose place a newer one takes", () => {
  test("ends at once when nothing unsafe runs, and cancels the jobs that are safe to stop", () => {
    const engine = Engine.start(
      [read("look"), { id: "wait", type: "delay", seconds: 60 }, action("after")],
      edges("wait -> after"),
    );
    const effects = engine.apply(superseded);
    expect(effects).toEqual([
      { type: "cancelJob", jobId: engine.run("look").jobId ?? "" },
      { type: "executionEnded", status: "cancelled" },
    ]);
    expect(engine.statuses).toEqual({ look: "cancelled", wait: "cancelled", after: "skipped" });
    expect(engine.state).toMatchObject({ status: "cancelled", error: { code: "superseded" }, supersededBy: NEWER });
    expect(engine.state.error?.message).toContain(NEWER);
  });

  test("waits for an unsafe action, takes it back where no agent has it, and begins nothing after it", () => {
    const engine = Engine.start(
      [action("restart"), action("after"), action("repair")],
      edges("restart -> after", "restart -failure-> repair"),
    );
    const jobId = engine.run("restart").jobId ?? "";
    expect(engine.apply(superseded)).toEqual([{ type: "withdrawJob", jobId }]);
    expect(engine.state.status).toBe("running");
    expect(engine.apply(superseded)).toEqual([]);
    expect(engine.end("restart")).toEqual([{ type: "executionEnded", status: "cancelled" }]);
    expect(engine.statuses).toEqual({ restart: "succeeded", after: "skipped", repair: "skipped" });
    expect(engine.state.error?.code).toBe("superseded");
  });

  test("does not try an unsafe action again", () => {
    const engine = Engine.start([action("restart", { retry: { maxAttempts: 3, backoffSeconds: 1 } })]);
    engine.apply(superseded);
    engine.fail("restart");
    expect(engine.state.status).toBe("cancelled");
    expect(engine.run("restart").status).toBe("failed");
  });

  test("does not order a job again whose connection moved", () => {
    const engine = Engine.start([action("restart")]);
    engine.apply(superseded);
    const reroute = { poolObject: "pool:q", pinnedAgentId: null, reroutes: 1 };
    engine.end("restart", { status: "cancelled", reroute });
    expect(engine.state.status).toBe("cancelled");
    expect(engine.effects.filter(({ type }) => type === "reorderJob")).toEqual([]);
  });

  test("begins no further iteration, and its errorHandler does not run", () => {
    const engine = Engine.start(
      [
        {
          id: "each",
          type: "forEach",
          items: "[1, 2, 3]",
          body: { nodes: [action("restart"), action("check")], edges: edges("restart -> check") },
        },
        { id: "handler", type: "errorHandler" },
        action("report"),
      ],
      edges("handler -> report"),
    );
    engine.apply(superseded);
    expect(engine.state.status).toBe("running");
    engine.end("restart");
    expect(engine.state.status).toBe("cancelled");
    expect(engine.orders).toHaveLength(1);
    expect(engine.statuses).toEqual({
      each: "cancelled",
      handler: "skipped",
      report: "skipped",
      restart: "succeeded",
      check: "skipped",
    });
  });

  test("passes it on to its sub-workflow, and waits for that one", () => {
    const engine = Engine.start([{ id: "sub", type: "workflow", workflowId: "child" }]);
    const { childExecutionId: executionId } = engine.run("sub");
    expect(engine.apply(superseded)).toEqual([
      { type: "supersedeChild", executionId: executionId ?? "", workflowId: "child", by: NEWER },
    ]);
    const report = {
      nodeRunId: engine.run("sub").id,
      childExecutionId: executionId ?? "",
      outputs: {},
      error: null,
      approved: null,
    };
    engine.apply({ type: "childEnded", report: { ...report, status: "cancelled" } });
    expect(engine.state).toMatchObject({ status: "cancelled", error: { code: "superseded" } });
  });

  test("can still be cancelled by a person", () => {
    const engine = Engine.start([action("restart")]);
    engine.apply(superseded);
    engine.apply({ type: "cancelled", by: "user:usr_1" });
    expect(engine.state).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
  });
});
