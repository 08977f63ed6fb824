import { describe, expect, test } from "bun:test";
import { OUTPUT_MAX_BYTES, RENDERED_JOB_MAX_BYTES } from "../../schema/limits.ts";
import { Engine, ROUTES, action, edges } from "./engine.ts";

const NONE = "none at all";

describe("a job's report", () => {
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

  test("a repeated or contradicting report changes nothing", () => {
    const engine = Engine.start([action("a"), action("b")], edges("a -> b"));
    engine.end("a");
    const before = engine.state;
    engine.end("a");
    engine.fail("a");
    expect(engine.state).toBe(before);
  });

  test("events before the start, a second start and events after the end change nothing", () => {
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

  test("the times that the dispatcher reports are kept, with the engine's own time of queueing", () => {
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

describe("a job whose connection moved before an agent fetched it", () => {
  const reroute = { poolObject: "pool:db", pinnedAgentId: null, reroutes: 1 };
  const none = { status: "cancelled", output: null, agentId: null, reroute } as const;

  test("is ordered again by its record, without an end and without using up an attempt", () => {
    const engine = Engine.start([action("a", { retry: { maxAttempts: 2, backoffSeconds: 1 } })]);
    const before = engine.run("a");
    expect(engine.end("a", none)).toEqual([{ type: "reorderJob", jobId: before.jobId ?? "" }]);
    expect(engine.run("a")).toEqual({ ...before, revision: 2 });
    engine.end("a");
    expect(engine.state.status).toBe("succeeded");
  });

  test("is not ordered again when its execution was cancelled, its job has ended, or a later attempt has begun", () => {
    const cancelled = Engine.start([action("a")]);
    const report = cancelled.report("a", none);
    cancelled.apply({ type: "cancelled", by: "ann" });
    expect(cancelled.apply({ type: "jobFinished", report })).toEqual([]);
    const retried = Engine.start([action("a", { retry: { maxAttempts: 2, backoffSeconds: 1 } })]);
    const late = retried.report("a", none);
    retried.fail("a");
    expect(retried.apply({ type: "jobFinished", report: late })).toEqual([]);
    retried.wake(1_000);
    expect(retried.apply({ type: "jobFinished", report: late })).toEqual([]);
  });

  test("ends with its execution when the execution has run out of time", () => {
    const engine = Engine.startDefinition({ nodes: [action("a")], edges: [], timeoutSeconds: 10 });
    engine.now += 11_000;
    const effects = engine.end("a", none).map(({ type }) => type);
    expect(effects).toContain("executionEnded");
    expect(effects).not.toContain("reorderJob");
  });
});

describe("a node that fails before it has a job", () => {
  test.each([
    ["connection_not_found", { connectionId: "gone" }],
    ["connection_not_found", { connectionId: NONE }],
    ["connection_disabled", { connectionId: "disabled" }],
    ["connection_unassigned", { connectionId: "unassigned" }],
    ["connection_type_mismatch", { connectionId: "http" }],
    ["invalid_params", { params: { script: "true", unknown: 1 } }],
    ["unsafe_value", { params: { script: "echo {{webhook.nul}}" } }],
    ["empty_value", { params: { script: "echo {{webhook.x | required}}" } }],
    ["value_not_representable", { params: { script: "true", env: { A: "{{webhook.nul}}" } } }],
    ["value_too_large", { params: { script: "true", env: { A: "{{webhook.large}}" } } }],
    [
      "job_too_large",
      {
        action: "http.request",
        connectionId: "http",
        params: { path: "/", body: "{{webhook.large}}{{webhook.large}}" },
      },
    ],
  ] as const)("fails with %s and takes its failure edge, without a retry", (code, more) => {
    const node = action("a", { retry: { maxAttempts: 3, backoffSeconds: 0 }, ...structuredClone(more) });
    if (node["connectionId"] === NONE) delete node["connectionId"];
    const engine = Engine.start([node, action("b")], edges("a -failure-> b"), {
      trigger: { type: "webhook", variables: { nul: "a\u0000b", large: "x".repeat(RENDERED_JOB_MAX_BYTES / 2) } },
    });
    expect(engine.run("a")).toMatchObject({ status: "failed", outcome: "failure", jobId: null, error: { code } });
    expect(engine.statuses["b"]).toBe("running");
  });

  test("a route is read again for every attempt", () => {
    const routes = { ...ROUTES };
    const engine = Engine.start([action("a", { retry: { maxAttempts: 2, backoffSeconds: 1 } })], [], { routes });
    engine.fail("a");
    routes["script"] = {
      name: "web",
      type: "script",
      enabled: true,
      targets: null,
      poolObject: "agent:x",
      pinnedAgentId: "x",
    };
    engine.wake(1_000);
    expect(engine.order("a")).toMatchObject({ attempt: 2, poolObject: "agent:x", pinnedAgentId: "x" });
  });
});
