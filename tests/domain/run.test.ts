import { describe, expect, test } from "bun:test";
import { definitionSchema } from "../../schema/contract/workflow.ts";
import { Engine, action, edges } from "./engine.ts";

const NOTIFY = {
  params: {
    script: "notify",
    env: {
      NODE: "{{error.nodeId}}",
      MESSAGE: "{{error.message}}",
      ACTION: "{{error.actionType}}",
      CODE: "{{error.exitCode}}",
      OUT: "{{error.output.stdout}}",
    },
  },
};

describe("joins and edges", () => {
  test("a workflow of one action runs its job and succeeds", () => {
    const engine = Engine.start([action("a", { params: { script: "echo {{webhook.who}}" } })], [], {
      trigger: { type: "webhook", variables: { who: "world" } },
    });
    expect(engine.state).toMatchObject({ status: "running", revision: 1, finishedAt: null, error: null });
    expect(engine.effects).toHaveLength(1);
    expect(engine.order("a")).toEqual({
      jobId: engine.run("a").jobId ?? "",
      attempt: 1,
      kind: "action",
      executionId: "exe_1",
      workflowId: "wf_1",
      onBehalfOf: "usr_1",
      nodeRunId: engine.run("a").id,
      action: "script.bash",
      effect: "unsafe",
      connectionId: "script",
      poolObject: "pool:p",
      pinnedAgentId: null,
      params: { script: "echo world" },
      values: {},
      timeoutSeconds: 300,
      queueTimeoutSeconds: null,
      onAgentLost: null,
      queuedAt: engine.now,
    });
    const effects = engine.end("a");
    expect(effects).toEqual([{ type: "executionEnded", status: "succeeded" }]);
    expect(engine.state).toMatchObject({ status: "succeeded", revision: 2, finishedAt: engine.now, error: null });
  });

  test("nodes without incoming edges start together; a join waits for all of them", () => {
    const engine = Engine.start([action("a"), action("b"), action("join")], edges("a -> join", "b -> join"));
    expect(engine.statuses).toEqual({ a: "running", b: "running", join: "pending" });
    engine.end("a");
    expect(engine.statuses["join"]).toBe("pending");
    engine.end("b");
    expect(engine.statuses["join"]).toBe("running");
    engine.end("join");
    expect(engine.state.status).toBe("succeeded");
  });

  test.each([
    ["a succeeds, b succeeds", ["end", "end"], "running"],
    ["a fails, b succeeds", ["fail", "end"], "running"],
    ["a succeeds, b fails", ["end", "fail"], "running"],
    ["a fails, b fails", ["fail", "fail"], "skipped"],
  ] as const)("a join runs when one of its settled edges was taken: %s", (_, [a, b], expected) => {
    const engine = Engine.start([action("a"), action("b"), action("join")], edges("a -> join", "b -> join"));
    engine[a]("a");
    engine[b]("b");
    expect(engine.statuses["join"]).toBe(expected);
  });

  test("nodes that can no longer be reached are skipped, through a whole chain and up to a join", () => {
    const engine = Engine.start(
      [action("a"), action("b"), action("c"), action("d"), action("join")],
      edges("a -failure-> b", "b -> c", "c -> join", "a -> d", "d -> join"),
    );
    engine.end("a");
    expect(engine.statuses).toEqual({ a: "succeeded", b: "skipped", c: "skipped", d: "running", join: "pending" });
    engine.end("d");
    expect(engine.statuses["join"]).toBe("running");
  });

  test("a node with an edge for each outcome runs after success and after failure", () => {
    for (const end of ["end", "fail"] as const) {
      const engine = Engine.start([action("a"), action("b")], edges("a -> b", "a -failure-> b"));
      engine[end]("a");
      expect(engine.statuses["b"]).toBe("running");
    }
  });

  test("a condition decides in the same step, by values of the trigger and of earlier nodes", () => {
    const when = {
      logic: "all",
      conditions: [
        { field: "nodes.a.exitCode", operator: "equals", value: 0 },
        { field: "{{webhook.level}}", operator: "in", value: ["high", "{{webhook.also}}"] },
      ],
    };
    for (const [level, expected] of [
      ["low", "skipped"],
      ["high", "running"],
      ["odd", "running"],
    ] as const) {
      const engine = Engine.start(
        [action("a"), { id: "c", type: "condition", when }, action("yes"), action("no")],
        edges("a -> c", "c -true-> yes", "c -false-> no"),
        { trigger: { type: "webhook", variables: { level, also: "odd" } } },
      );
      engine.end("a");
      expect(engine.statuses["yes"]).toBe(expected);
      expect(engine.statuses["no"]).toBe(expected === "running" ? "skipped" : "running");
      expect(engine.run("c").output).toEqual({ result: expected === "running" });
    }
  });
});

describe("failures and their handlers", () => {
  test("an unhandled failure fails the execution, and the nodes behind it are skipped", () => {
    const engine = Engine.start([action("a"), action("b")], edges("a -> b"));
    const effects = engine.fail("a");
    expect(engine.statuses).toEqual({ a: "failed", b: "skipped" });
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "nonzero_exit", message: "a: It failed." } });
    expect(effects).toEqual([{ type: "executionEnded", status: "failed" }]);
  });

  test("other branches, such as clean-up, run to their end before the execution fails", () => {
    const engine = Engine.start(
      [action("a"), action("b"), action("after"), action("cleanup")],
      edges("b -> after", "after -failure-> cleanup"),
    );
    engine.fail("a");
    expect(engine.state).toMatchObject({ status: "running", error: { code: "nonzero_exit" } });
    engine.end("b");
    engine.fail("after", { error: { code: "other", message: "Later." } });
    expect(engine.statuses["cleanup"]).toBe("running");
    engine.end("cleanup");
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "nonzero_exit" } });
  });

  test("a failure edge handles a failure: the execution succeeds", () => {
    const engine = Engine.start([action("a"), action("b")], edges("a -failure-> b"));
    engine.fail("a");
    engine.end("b");
    expect(engine.state).toMatchObject({ status: "succeeded", error: null });
  });

  test("the workflow's errorHandler is entered once, by the first failure without a failure edge", () => {
    const engine = Engine.start(
      [action("a"), action("b"), action("own"), { id: "h", type: "errorHandler" }, action("notify", NOTIFY)],
      edges("a -failure-> own", "h -> notify"),
    );
    engine.fail("a");
    expect(engine.statuses["h"]).toBe("pending");
    engine.end("own");
    expect(engine.statuses["h"]).toBe("pending");
    engine.fail("b", { output: { exitCode: 3, stdout: "" } });
    expect(engine.statuses).toMatchObject({ h: "succeeded", notify: "running" });
    expect(engine.run("h").output).toEqual({
      nodeId: "b",
      actionType: "script.bash",
      code: "nonzero_exit",
      message: "It failed.",
      status: "failed",
      exitCode: 3,
      statusCode: null,
    });
    expect(Object.values(engine.order("notify").values)).toEqual(["b", "It failed.", "script.bash", "3", ""]);
    engine.end("notify");
    expect(engine.state).toMatchObject({ status: "succeeded", error: null });
  });

  test("a second unhandled failure fails the execution, because the errorHandler has run", () => {
    const engine = Engine.start(
      [action("a"), action("b"), { id: "h", type: "errorHandler" }, action("notify")],
      edges("h -> notify"),
    );
    engine.fail("a");
    engine.fail("b", { error: { code: "second", message: "Again." } });
    engine.end("notify");
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "second", message: "b: Again." } });
  });

  test("a failure behind the errorHandler does not enter it again and fails the execution", () => {
    const engine = Engine.start(
      [action("a"), { id: "h", type: "errorHandler" }, action("notify")],
      edges("h -> notify"),
    );
    engine.fail("a");
    engine.fail("notify", { error: { code: "chat_down", message: "No." } });
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "chat_down" } });
  });

  test("a failure edge of an errorHandler, which earlier versions saved, is accepted and never taken", () => {
    const nodes = [action("a"), { id: "h", type: "errorHandler" as const }, action("after")];
    const definition = { nodes, edges: edges("h -failure-> after") };
    expect(definitionSchema.parse(definition).edges).toEqual(definition.edges);
    const engine = Engine.start(nodes, definition.edges);
    engine.fail("a");
    expect(engine.statuses).toEqual({ a: "failed", h: "succeeded", after: "skipped" });
  });

  test("an unused errorHandler is skipped with the nodes behind it, and a join behind them still runs", () => {
    const engine = Engine.start(
      [action("a"), { id: "h", type: "errorHandler" }, action("notify"), action("always")],
      edges("h -> notify", "notify -> always", "a -> always"),
    );
    engine.end("a");
    expect(engine.statuses).toEqual({ a: "succeeded", h: "skipped", notify: "skipped", always: "running" });
    engine.fail("always");
    expect(engine.state.status).toBe("failed");
  });

  test("an errorHandler behind failure edges shows the failure that came first", () => {
    const engine = Engine.start(
      [action("a"), action("b"), { id: "h", type: "errorHandler" }, action("notify", NOTIFY)],
      edges("a -failure-> h", "b -failure-> h", "h -> notify"),
    );
    engine.now += 5;
    engine.fail("b", { error: { code: "first", message: "B failed." } });
    engine.now += 5;
    engine.fail("a", { error: { code: "later", message: "A failed." } });
    expect(engine.order("notify").values).toMatchObject({ NODE: "b", MESSAGE: "B failed." });
  });

  test("behind a failure edge, error.* is the failure of the node that led there, through several nodes", () => {
    const engine = Engine.start(
      [action("a"), action("first"), action("second", NOTIFY)],
      edges("a -failure-> first", "first -> second"),
    );
    engine.fail("a", { output: { exitCode: 9, stdout: "no" } });
    engine.end("first");
    expect(Object.values(engine.order("second").values)).toEqual(["a", "It failed.", "script.bash", "9", "no"]);
  });
});
