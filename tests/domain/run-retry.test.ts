import { describe, expect, test } from "bun:test";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { Edge } from "../../schema/contract/workflow.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { keptRuns } from "../../worker/actors/run/engine/keep-runs.ts";
import { Engine, action, define, edges } from "./engine.ts";

/** A retry of `engine`'s execution from the failed node. */
function retry(engine: Engine, nodes: readonly JsonObject[], graphEdges: readonly Edge[] = []): Engine {
  let ids = 0;
  const kept = keptRuns(define(nodes, graphEdges), engine.state, () => `kept_${(ids += 1)}`);
  return Engine.start(nodes, graphEdges, { trigger: engine.state.trigger, kept });
}

describe("a retry from the failed node", () => {
  test("keeps succeeded nodes with their outputs, and continues with failed ones", () => {
    const nodes = [
      action("a"),
      action("b", { params: { script: "true", env: { X: "{{nodes.a.output.stdout}}" } } }),
      action("c"),
    ];
    const path = edges("a -> b", "b -> c");
    const failed = Engine.start(nodes, path);
    failed.end("a");
    failed.fail("b");
    const again = retry(failed, nodes, path);
    expect(again.statuses).toEqual({ a: "succeeded", b: "running", c: "pending" });
    expect(again.orders.map(({ values }) => values)).toEqual([{ X: "output of a" }]);
    expect(again.run("a").id).not.toBe(failed.run("a").id);
    expect(again.run("b").attempt).toBe(1);
    again.end("b");
    again.end("c");
    expect(again.state.status).toBe("succeeded");
  });

  test("keeps branches that were not taken, and runs everything behind a failure again", () => {
    const when = { logic: "all", conditions: [{ field: "webhook.x", operator: "notExists" }] };
    const nodes = [{ id: "is", type: "condition", when }, action("yes"), action("no"), action("side"), action("join")];
    const path = edges("is -true-> yes", "is -false-> no", "yes -> join", "side -> join");
    const failed = Engine.start(nodes, path);
    failed.end("side");
    failed.fail("yes");
    expect(failed.statuses).toMatchObject({ join: "running" });
    failed.end("join");
    const again = retry(failed, nodes, path);
    expect(again.statuses).toEqual({
      is: "succeeded",
      yes: "running",
      no: "skipped",
      side: "succeeded",
      join: "pending",
    });
  });

  test("of a run that never began, or that a newer one ended, runs what was skipped for it", () => {
    const nodes = [action("a"), action("b"), { id: "handler", type: "errorHandler" }, action("repair")];
    const path = edges("a -> b", "handler -> repair");
    const refused = new Engine(define(nodes, path));
    refused.apply({ type: "refused", status: "cancelled", error: { code: "queue_full", message: "It was full." } });
    expect(refused.statuses).toEqual({ a: "skipped", b: "skipped", handler: "skipped", repair: "skipped" });
    expect(retry(refused, nodes, path).statuses).toMatchObject({ a: "running", b: "pending" });

    const superseded = Engine.start(nodes, path);
    superseded.apply({ type: "superseded", by: "exe_newer" });
    superseded.end("a");
    expect(superseded.statuses).toMatchObject({ a: "succeeded", b: "skipped" });
    const again = retry(superseded, nodes, path);
    expect(again.statuses).toMatchObject({ a: "succeeded", b: "running" });
    again.end("b");
    expect(again.state.status).toBe("succeeded");
    expect(again.statuses).toMatchObject({ handler: "skipped", repair: "skipped" });
  });

  test("does not repeat a handled failure or the nodes that handled it", () => {
    const nodes = [action("a"), action("fallback"), action("after"), action("d")];
    const path = edges("a -failure-> fallback", "fallback -> after", "after -> d");
    const failed = Engine.start(nodes, path);
    failed.fail("a");
    failed.end("fallback");
    failed.end("after");
    failed.fail("d");
    const again = retry(failed, nodes, path);
    expect(again.statuses).toEqual({ a: "failed", fallback: "succeeded", after: "succeeded", d: "running" });
    again.end("d");
    expect(again.state.status).toBe("succeeded");
  });

  test("keeps the failure that entered the errorHandler, and runs the nodes that failed behind it", () => {
    const notify = action("notify", { params: { script: "true", env: { W: "{{error.nodeId}}" } } });
    const nodes = [action("a"), action("b"), { id: "rescue", type: "errorHandler" }, notify];
    const path = edges("a -> b", "rescue -> notify");
    const failed = Engine.start(nodes, path);
    failed.end("a");
    failed.fail("b");
    failed.fail("notify");
    const again = retry(failed, nodes, path);
    expect(again.statuses).toEqual({ a: "succeeded", b: "failed", rescue: "succeeded", notify: "running" });
    expect(again.orders.at(-1)?.values).toMatchObject({ W: "b" });
  });

  test("lets an errorHandler wait for a new failure where the old one was cancelled", () => {
    const nodes = [action("a"), { id: "rescue", type: "errorHandler" }, action("notify")];
    const path = edges("rescue -> notify");
    const cancelled = Engine.start(nodes, path);
    cancelled.apply({ type: "cancelled", by: "ann" });
    const again = retry(cancelled, nodes, path);
    expect(again.statuses).toEqual({ a: "running", rescue: "pending", notify: "pending" });
    again.fail("a");
    expect(again.statuses).toMatchObject({ rescue: "succeeded", notify: "running" });
  });

  test("of a cancelled execution runs the cancelled nodes and those that had not started", () => {
    const nodes = [action("a"), action("b"), action("c")];
    const path = edges("a -> b", "b -> c");
    const cancelled = Engine.start(nodes, path);
    cancelled.end("a");
    cancelled.apply({ type: "cancelled", by: "ann" });
    expect(retry(cancelled, nodes, path).statuses).toEqual({ a: "succeeded", b: "running", c: "pending" });
  });

  test("keeps the iterations of a forEach that succeeded, and runs the others", () => {
    const nodes = [
      action("a"),
      {
        id: "loop",
        type: "forEach",
        items: "{{webhook.items}}",
        concurrency: 3,
        body: { nodes: [action("do"), action("next")], edges: edges("do -> next").map((edge) => ({ ...edge })) },
      },
    ];
    const path = edges("a -> loop");
    const trigger: ExecutionTrigger = { type: "webhook", variables: { items: ["x", "y", "z", "w"] } };
    const failed = Engine.start(nodes, path, { trigger });
    failed.end("a");
    const at = (engine: Engine, nodeId: string, index: number) =>
      engine.state.nodeRuns.find((run) => run.nodeId === nodeId && run.path[0] === index);
    const end = (engine: Engine, nodeId: string, index: number, status: "succeeded" | "failed" = "succeeded") => {
      const jobId = at(engine, nodeId, index)?.jobId ?? "";
      engine.apply({ type: "jobFinished", report: engine.report("loop", { jobId, attempt: 1, status }) });
    };
    end(failed, "do", 0);
    end(failed, "next", 0);
    end(failed, "do", 1, "failed");
    end(failed, "do", 2);
    end(failed, "next", 2, "failed");
    // The fourth iteration had started when the first ended, before any failure.
    end(failed, "do", 3);
    end(failed, "next", 3);
    expect(failed.state.status).toBe("failed");
    const again = retry(failed, nodes, path);
    expect([0, 1, 2, 3].map((index) => at(again, "do", index)?.status)).toEqual([
      "succeeded",
      "running",
      "running",
      "succeeded",
    ]);
    for (const index of [1, 2]) {
      end(again, "do", index);
      end(again, "next", index);
    }
    expect(again.state.status).toBe("succeeded");
    expect(again.run("loop").output).toMatchObject({ total: 4, succeeded: 4 });
  });
});
