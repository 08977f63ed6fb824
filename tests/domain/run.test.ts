import { describe, expect, test } from "bun:test";
import { OUTPUT_MAX_BYTES, RENDERED_JOB_MAX_BYTES } from "../../schema/limits.ts";
import { reconcile } from "../../worker/domain/run.ts";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import { Engine, ROUTES, action, edges } from "./engine.ts";

const NONE = "none at all";
const TELL = {
  params: {
    script: "tell {{error.nodeId}} {{error.message}} {{error.actionType}} {{error.exitCode}} {{error.output.stdout}}",
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
      nodeRunId: engine.run("a").id,
      action: "script.bash",
      effect: "unsafe",
      connectionId: "script",
      poolObject: "pool:p",
      pinnedAgentId: null,
      params: { script: 'echo "${BELLHOP_VALUE_1}"' },
      values: { BELLHOP_VALUE_1: "world" },
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

  test("what cannot be reached any more is skipped, through a whole chain and up to a join", () => {
    const engine = Engine.start(
      [action("a"), action("b"), action("c"), action("d"), action("join")],
      edges("a -failure-> b", "b -> c", "c -> join", "a -> d", "d -> join"),
    );
    engine.end("a");
    expect(engine.statuses).toEqual({ a: "succeeded", b: "skipped", c: "skipped", d: "running", join: "pending" });
    engine.end("d");
    expect(engine.statuses["join"]).toBe("running");
  });

  test("an edge for each outcome leads to the same node: it runs whatever happens", () => {
    for (const end of ["end", "fail"] as const) {
      const engine = Engine.start([action("a"), action("b")], edges("a -> b", "a -failure-> b"));
      engine[end]("a");
      expect(engine.statuses["b"]).toBe("running");
    }
  });

  test("a condition decides at once, by values of the trigger and of nodes before", () => {
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

describe("failures and who handles them", () => {
  test("a failure that nothing handles fails the execution, and what follows is skipped", () => {
    const engine = Engine.start([action("a"), action("b")], edges("a -> b"));
    const effects = engine.fail("a");
    expect(engine.statuses).toEqual({ a: "failed", b: "skipped" });
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "nonzero_exit", message: "a: It failed." } });
    expect(effects).toEqual([{ type: "executionEnded", status: "failed" }]);
  });

  test("other branches go on to their end before the execution fails, clean-up included", () => {
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

  test("the workflow's errorHandler is entered once, by the first failure that nothing else handles", () => {
    const engine = Engine.start(
      [action("a"), action("b"), action("own"), { id: "h", type: "errorHandler" }, action("tell", TELL)],
      edges("a -failure-> own", "h -> tell"),
    );
    engine.fail("a");
    expect(engine.statuses["h"]).toBe("pending");
    engine.end("own");
    expect(engine.statuses["h"]).toBe("pending");
    engine.fail("b", { output: { exitCode: 3, stdout: "" } });
    expect(engine.statuses).toMatchObject({ h: "succeeded", tell: "running" });
    expect(engine.run("h").output).toEqual({
      nodeId: "b",
      actionType: "script.bash",
      code: "nonzero_exit",
      message: "It failed.",
      status: "failed",
      exitCode: 3,
      statusCode: null,
    });
    expect(Object.values(engine.order("tell").values)).toEqual(["b", "It failed.", "script.bash", "3", ""]);
    engine.end("tell");
    expect(engine.state).toMatchObject({ status: "succeeded", error: null });
  });

  test("a second failure finds the errorHandler used: the execution fails with it", () => {
    const engine = Engine.start(
      [action("a"), action("b"), { id: "h", type: "errorHandler" }, action("tell")],
      edges("h -> tell"),
    );
    engine.fail("a");
    engine.fail("b", { error: { code: "second", message: "Again." } });
    engine.end("tell");
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "second", message: "b: Again." } });
  });

  test("a failure behind the errorHandler does not enter it again, and is handled by nothing", () => {
    const engine = Engine.start([action("a"), { id: "h", type: "errorHandler" }, action("tell")], edges("h -> tell"));
    engine.fail("a");
    engine.fail("tell", { error: { code: "chat_down", message: "No." } });
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "chat_down" } });
  });

  test("an errorHandler that nothing entered is skipped with all behind it, and a join goes on", () => {
    const engine = Engine.start(
      [action("a"), { id: "h", type: "errorHandler" }, action("tell"), action("always")],
      edges("h -> tell", "tell -> always", "a -> always"),
    );
    engine.end("a");
    expect(engine.statuses).toEqual({ a: "succeeded", h: "skipped", tell: "skipped", always: "running" });
    engine.fail("always");
    expect(engine.state.status).toBe("failed");
  });

  test("an errorHandler behind failure edges shows the failure that came first", () => {
    const engine = Engine.start(
      [action("a"), action("b"), { id: "h", type: "errorHandler" }, action("tell", TELL)],
      edges("a -failure-> h", "b -failure-> h", "h -> tell"),
    );
    engine.now += 5;
    engine.fail("b", { error: { code: "first", message: "B failed." } });
    engine.now += 5;
    engine.fail("a", { error: { code: "later", message: "A failed." } });
    expect(engine.order("tell").values).toMatchObject({ BELLHOP_VALUE_1: "b", BELLHOP_VALUE_2: "B failed." });
  });

  test("behind a failure edge, error.* is the failure of the node that led there, through several nodes", () => {
    const engine = Engine.start(
      [action("a"), action("first"), action("second", TELL)],
      edges("a -failure-> first", "first -> second"),
    );
    engine.fail("a", { output: { exitCode: 9, stdout: "no" } });
    engine.end("first");
    expect(Object.values(engine.order("second").values)).toEqual(["a", "It failed.", "script.bash", "9", "no"]);
  });

  test("a definition that nothing checked fails at a node that is not available, with that word", () => {
    const engine = Engine.start([{ id: "a", type: "approval", message: "Sure?" }]);
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "not_available" } });
  });
});

describe("what a job's report does", () => {
  test.each([
    [{ status: "timed_out", error: null }, "timed_out", "timed_out"],
    [{ status: "timed_out", lost: true, error: { code: "timed_out", message: "No end." } }, "timed_out", "timed_out"],
    [{ status: "failed", lost: true, error: null }, "failed", "agent_lost"],
    [{ status: "failed", lost: true, error: { code: "interrupted", message: "Restarted." } }, "failed", "agent_lost"],
    [{ status: "failed", error: { code: "queue_timeout", message: "No agent." } }, "failed", "queue_timeout"],
    [{ status: "failed", error: null }, "failed", "failed"],
    [{ status: "cancelled", error: null }, "cancelled", "cancelled"],
    [{ output: { stdout: "x".repeat(OUTPUT_MAX_BYTES) } }, "failed", "output_too_large"],
  ] as const)("%j ends the node and leaves by failure", (report, status, code) => {
    const engine = Engine.start([action("a"), action("b"), action("c")], edges("a -> b", "a -failure-> c"));
    engine.end("a", report);
    expect(engine.run("a")).toMatchObject({ status, outcome: "failure", error: { code } });
    expect(engine.statuses).toMatchObject({ b: "skipped", c: "running" });
  });

  test("an output of exactly the limit is kept", () => {
    const engine = Engine.start([action("a")]);
    engine.end("a", { output: { stdout: "x".repeat(OUTPUT_MAX_BYTES - '{"stdout":""}'.length) } });
    expect(engine.state.status).toBe("succeeded");
  });

  test.each([
    ["another job", { jobId: "job_other" }],
    ["another attempt", { attempt: 2 }],
  ])("a report of %s changes nothing", (_, more) => {
    const engine = Engine.start([action("a")]);
    const before = engine.state;
    expect(engine.end("a", more)).toEqual([]);
    expect(engine.state).toBe(before);
  });

  test("the same report twice, and one that contradicts it, change nothing", () => {
    const engine = Engine.start([action("a"), action("b")], edges("a -> b"));
    engine.end("a");
    const before = engine.state;
    engine.end("a");
    engine.fail("a");
    expect(engine.state).toBe(before);
  });

  test("nothing changes before the start, by a second start, or after the end", () => {
    const engine = Engine.start([action("a")]);
    const running = engine.state;
    engine.apply({ type: "started" });
    engine.apply({ type: "woken" });
    expect(engine.state).toBe(running);
    engine.end("a");
    const ended = engine.state;
    for (const type of ["started", "woken"] as const) engine.apply({ type });
    engine.apply({ type: "cancelled", by: "someone" });
    engine.fail("a");
    expect(engine.state).toBe(ended);
  });

  test("the times that Pool tells are kept, with the engine's own time of queueing", () => {
    const engine = Engine.start([action("a")]);
    const queuedAt = engine.now;
    engine.now += 1_000;
    engine.end("a");
    const at = engine.now;
    expect(engine.run("a").timeline).toEqual({
      queuedAt,
      assignedAt: at,
      deliveredAt: at,
      startedAt: at,
      finishedAt: at,
      reportedAt: at,
    });
  });
});

describe("what ends a node before it has a job", () => {
  test.each([
    ["connection_not_found", { connectionId: "gone" }],
    ["connection_not_found", { connectionId: NONE }],
    ["connection_disabled", { connectionId: "disabled" }],
    ["connection_unassigned", { connectionId: "unassigned" }],
    ["connection_type_mismatch", { connectionId: "http" }],
    ["invalid_params", { params: { script: "true", unknown: 1 } }],
    ["template_refused", { params: { script: "{{webhook.x}}" } }],
    ["value_not_representable", { params: { script: "echo {{webhook.nul}}" } }],
    ["job_too_large", { params: { script: "true", env: { A: "{{webhook.large}}", B: "{{webhook.large}}" } } }],
  ] as const)("%s: it fails and leaves by failure, without a retry", (code, more) => {
    const node = action("a", { retry: { maxAttempts: 3, backoffSeconds: 0 }, ...structuredClone(more) });
    if (node["connectionId"] === NONE) delete node["connectionId"];
    const engine = Engine.start([node, action("b")], edges("a -failure-> b"), {
      trigger: { type: "webhook", variables: { nul: "a\u0000b", large: "x".repeat(RENDERED_JOB_MAX_BYTES / 2) } },
    });
    expect(engine.run("a")).toMatchObject({ status: "failed", outcome: "failure", jobId: null, error: { code } });
    expect(engine.statuses["b"]).toBe("running");
  });

  test("a route is read anew for every attempt", () => {
    const routes = { ...ROUTES };
    const engine = Engine.start([action("a", { retry: { maxAttempts: 2, backoffSeconds: 1 } })], [], { routes });
    engine.fail("a");
    routes["script"] = { type: "script", enabled: true, poolObject: "agent:x", pinnedAgentId: "x" };
    engine.wake(1_000);
    expect(engine.order("a")).toMatchObject({ attempt: 2, poolObject: "agent:x", pinnedAgentId: "x" });
  });
});

describe("time: retries and delays", () => {
  test("a retry waits its backoff, has a new job, and its report alone counts", () => {
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

  test("after its last attempt the node fails", () => {
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
  ] as const)("a lost job is tried again only when that does no harm: %s", (_, node, expected) => {
    const engine = Engine.start([{ ...node, retry: { maxAttempts: 5, backoffSeconds: 1 }, onAgentLost: "retry" }], [], {
      trigger: { type: "webhook", variables: { m: "GET" } },
    });
    engine.fail("a", { lost: true });
    expect(engine.run("a").status).toBe(expected);
  });

  test("a delay waits its seconds and goes on; the earliest wake is the execution's", () => {
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
  test("what has begun is cancelled and its jobs taken back, the rest is skipped, later reports change nothing", () => {
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

test("what a crash may have swallowed can be told again: open jobs, cancelled jobs, the end", () => {
  const engine = Engine.start([action("a"), action("b"), action("c")]);
  engine.end("b");
  const [a, c] = [engine.run("a").jobId ?? "", engine.run("c").jobId ?? ""];
  expect(reconcile(engine.state)).toEqual({ openJobIds: [a, c], cancelledJobIds: [], ended: null });
  engine.apply({ type: "cancelled", by: "ann" });
  expect(reconcile(engine.state)).toEqual({ openJobIds: [], cancelledJobIds: [a, c], ended: "cancelled" });
});

describe("what templates of a node find", () => {
  const cases: readonly [trigger: ExecutionTrigger, template: string, expected: string][] = [
    [{ type: "webhook", variables: { a: { b: [1, { c: "deep" }] } } }, "{{webhook.a.b.1.c}}", "deep"],
    [{ type: "webhook", variables: { a: 1 } }, "{{inputs.a}}", "1"],
    [{ type: "manual", variables: { a: true }, by: null }, "{{inputs.a}}", "true"],
    [{ type: "manual", variables: { a: null }, by: null }, "<{{webhook.a}}>", "<>"],
    [{ type: "manual", variables: { incident: { id: "inc_1" } }, by: null }, "{{incident.id}}", "inc_1"],
    [{ type: "incident", incident: { tags: { dc: "x" } } }, "{{incident.tags.dc}}", "x"],
    [{ type: "cron", scheduledAt: "2026-11-21T00:00:00.000Z" }, "{{cron.scheduledAt}}", "2026-11-21T00:00:00.000Z"],
    [{ type: "manual", variables: {}, by: null }, "{{cron.scheduledAt}}", "2027-01-15T08:00:00.000Z"],
    [{ type: "workflow", variables: { a: "x" }, parentExecutionId: "exe_0" }, "{{inputs.a}}", "x"],
    [{ type: "webhook", variables: {} }, "{{webhook.__proto__}}{{webhook.constructor.name}}{{webhook.toString}}", ""],
    [
      { type: "webhook", variables: { a: [1, 2], s: "abc" } },
      "{{webhook.a.length}}{{webhook.s.length}}{{webhook.s.0}}{{webhook.a.-1}}{{webhook.a.01}}",
      "",
    ],
    [{ type: "webhook", variables: { A: "upper" } }, "{{webhook.a}}{{Webhook.A}}", ""],
    [{ type: "webhook", variables: { o: { x: 1 } } }, "{{webhook.o}}", '{"x":1}'],
  ];
  test.each([...cases])("%j: %s", (trigger, template, expected) => {
    const engine = Engine.start([action("a", { params: { script: "true", env: { X: template } } })], [], { trigger });
    expect(engine.order("a").params["env"]).toEqual({ X: expected });
  });

  test("outputs, status and exit code of nodes before", () => {
    const env = {
      O: "{{nodes.a.output.stdout}}",
      S: "{{nodes.a.status}}",
      E: "{{nodes.a.exitCode}}",
      N: "{{nodes.c.output}}",
    };
    const engine = Engine.start(
      [action("a"), action("c"), action("b", { params: { script: "true", env } })],
      edges("a -> b", "a -failure-> c", "c -> b"),
    );
    engine.end("a", { output: { stdout: "out", exitCode: 0 } });
    expect(engine.order("b").params["env"]).toEqual({ O: "out", S: "succeeded", E: "0", N: "" });
  });
});
