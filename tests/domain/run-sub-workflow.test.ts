import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { childEffects, outputsOf } from "../../worker/actors/run/engine/step.ts";
import type { ChildReport } from "../../worker/domain/execution-state.ts";
import type { ChildOrder } from "../../worker/actors/run/engine/types.ts";
import { Engine, action, define, edges } from "./engine.ts";

const node = (more: JsonObject = {}): JsonObject => ({
  id: "sub",
  type: "workflow",
  workflowId: "child",
  variables: { host: "{{webhook.host}}", list: ["{{webhook.n}}", "n={{webhook.n}}"] },
  ...more,
});
const nodes = [node(), action("after"), action("repair")];
const paths = edges("sub -> after", "sub -failure-> repair");

function start(depth = 0): Engine {
  return Engine.start(nodes, paths, {
    trigger: { type: "webhook", variables: { host: "web-1", n: 5 } },
    depth,
  });
}

function started(engine: Engine): ChildOrder {
  const effect = engine.effects.findLast(({ type }) => type === "startChild");
  if (effect?.type !== "startChild") throw new Error("no child was started");
  return effect.order;
}

function end(engine: Engine, report: Partial<ChildReport>) {
  const { executionId, nodeRunId } = started(engine);
  return engine.apply({
    type: "childEnded",
    report: {
      nodeRunId,
      childExecutionId: executionId,
      status: "succeeded",
      outputs: {},
      error: null,
      approved: null,
      ...report,
    },
  });
}

describe("a sub-workflow", () => {
  test("is started with its rendered variables, and its node waits for it", () => {
    const engine = start();
    const { executionId } = started(engine);
    expect(started(engine)).toEqual({
      executionId,
      workflowId: "child",
      versionId: "wfv_child",
      variables: { host: "web-1", list: [5, "n=5"] },
      nodeRunId: engine.run("sub").id,
      startedAt: engine.now,
    });
    expect(engine.run("sub")).toMatchObject({ status: "running", childExecutionId: executionId });
    expect(engine.statuses).toMatchObject({ after: "pending" });
  });

  test("gives its outputs to the nodes behind it", () => {
    const engine = start();
    end(engine, { outputs: { look: { stdout: "fine" } } });
    expect(engine.run("sub")).toMatchObject({
      status: "succeeded",
      output: { executionId: started(engine).executionId, status: "succeeded", outputs: { look: { stdout: "fine" } } },
    });
    expect(engine.statuses).toMatchObject({ after: "running", repair: "skipped" });
  });

  test.each([
    ["failed", "workflow_failed", "failed"],
    ["cancelled", "workflow_cancelled", "cancelled"],
  ] as const)("that %s fails its node, and the error says why", (status, code, nodeStatus) => {
    const engine = start();
    end(engine, { status, error: { code: "x", message: "look: It broke." } });
    expect(engine.run("sub")).toMatchObject({ status: nodeStatus, outcome: "failure", error: { code } });
    expect(engine.run("sub").error?.message).toContain("look: It broke.");
    expect(engine.statuses).toMatchObject({ after: "skipped", repair: "running" });
  });

  test("a report for another child, or a second one, changes nothing", () => {
    const engine = start();
    const before = engine.state;
    end(engine, { childExecutionId: "exe_other" });
    expect(engine.state).toBe(before);
    end(engine, {});
    const after = engine.state;
    end(engine, { status: "failed" });
    expect(engine.state).toBe(after);
  });

  test("is checked every minute: the same start is sent again, with the same variables", () => {
    const engine = start();
    const first = started(engine);
    expect(engine.state.wakeAt).toBe(engine.now + 60_000);
    expect(engine.wake(60_000)).toEqual([{ type: "startChild", order: first }]);
    expect(engine.state.wakeAt).toBe(engine.now + 60_000);
    engine.wake(60_000);
    expect(engine.state.wakeAt).toBe(engine.now + 120_000);
    for (let day = 0; day < 3; day += 1) engine.wake(24 * 60 * 60_000);
    expect(engine.state.wakeAt).toBe(engine.now + 60 * 60_000);
  });

  test("after a crash its start is sent again while it runs, and its cancel after its parent was cancelled", () => {
    const engine = start();
    const definition = define(nodes, paths);
    expect(childEffects(definition, engine.state)).toEqual([{ type: "startChild", order: started(engine) }]);
    engine.apply({ type: "cancelled", by: "ann" });
    expect(childEffects(definition, engine.state)).toEqual([
      { type: "cancelChild", executionId: started(engine).executionId, workflowId: "child", by: "its parent" },
    ]);
    const done = start();
    end(done, {});
    expect(childEffects(definition, done.state)).toEqual([]);
  });

  test("is cancelled with its parent", () => {
    const engine = start();
    const effects = engine.apply({ type: "cancelled", by: "ann" });
    expect(effects).toContainEqual({
      type: "cancelChild",
      executionId: started(engine).executionId,
      workflowId: "child",
      by: "ann",
    });
  });

  test("whose outputs exceed an execution's limit fails its node", () => {
    const many = Array.from({ length: 40 }, (_, index) => node({ id: `sub${index}` }));
    const engine = Engine.start(many);
    for (const { id: nodeRunId, childExecutionId } of engine.state.nodeRuns) {
      const outputs = { look: { stdout: "x".repeat(500_000) } };
      const report = {
        nodeRunId,
        childExecutionId: childExecutionId ?? "",
        status: "succeeded",
        outputs,
        error: null,
        approved: null,
      } as const;
      engine.apply({ type: "childEnded", report });
    }
    expect(engine.run("sub32").status).toBe("succeeded");
    expect(engine.run("sub39")).toMatchObject({ status: "failed", output: null, error: { code: "outputs_too_large" } });
  });

  test("gets its parent's cancel again a minute later, and then never again", () => {
    const engine = start();
    engine.apply({ type: "cancelled", by: "ann" });
    expect(engine.state.wakeAt).toBe(engine.now + 60_000);
    expect(engine.wake(59_999)).toEqual([]);
    expect(engine.wake(1)).toMatchObject([{ type: "cancelChild", executionId: started(engine).executionId }]);
    expect(engine.state.wakeAt).toBeNull();
    expect(engine.wake(60_000)).toEqual([]);
  });

  test("is at most five levels deep: the fifth starts no sixth", () => {
    expect(started(start(3)).workflowId).toBe("child");
    const deepest = start(4);
    expect(deepest.run("sub")).toMatchObject({ status: "failed", error: { code: "too_deep" } });
    expect(deepest.effects.some(({ type }) => type === "startChild")).toBe(false);
  });

  test.each([
    [{ workflowId: "gone" }, "workflow_not_published", "no published workflow gone"],
    [{ workflowId: "picky" }, "invalid_variables", "variables.host is required"],
  ])("with %j fails its node, and the error says what to do", (more, code, message) => {
    const engine = Engine.start([node(more)]);
    expect(engine.run("sub")).toMatchObject({ status: "failed", error: { code } });
    expect(engine.run("sub").error?.message).toContain(message);
  });
});

test("an execution returns the outputs of the nodes without a successor", () => {
  const graph = [action("a"), action("b"), action("c"), action("d")];
  const graphEdges = edges("a -> b", "a -failure-> c");
  const engine = Engine.start(graph, graphEdges);
  for (const id of ["a", "b", "d"]) engine.end(id);
  expect(Object.keys(outputsOf(define(graph, graphEdges), engine.state))).toEqual(["b", "d"]);
});
