import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import type { JsonObject } from "../../schema/contract/json.ts";
import { success } from "../support/agent-client.ts";
import { eventually } from "../support/eventually.ts";
import { call as request, errorPathsOf, problemOf } from "../support/management-api.ts";
import { failure, x } from "../support/working-agent.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";

/** Sub-workflows and retries of executions, through real HTTP, workerd and libSQL, with a fake agent. */
let bench: WorkflowBench;

beforeAll(async () => {
  bench = await WorkflowBench.start();
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.agent.jobs.length = 0;
  bench.agent.does((job) => success(job, { exitCode: 0, stdout: `did ${x(job)}` }));
});

describe("a workflow node", () => {
  const child = (more: JsonObject = {}) =>
    bench.publish(
      { nodes: [bench.action("inner", "{{inputs.host}} {{inputs.tries}}", more)], edges: [] },
      { type: "manual", inputs: { host: { type: "string", required: true }, tries: { type: "number", default: 3 } } },
    );
  const parent = (workflowId: string, variables: JsonObject) => ({
    nodes: [
      { id: "sub", type: "workflow", workflowId, variables },
      bench.action("after", "{{nodes.sub.output.outputs.inner.stdout}}"),
      bench.action("repair", "{{error.message}}"),
    ],
    edges: [
      { from: "sub", to: "after", on: "success" },
      { from: "sub", to: "repair", on: "failure" },
    ],
  });

  test("starts another workflow with its inputs' defaults, waits for it and returns its output", async () => {
    const executionId = await bench.run(parent(await child(), { host: "{{inputs.host}}" }), { host: "web-1" });
    const execution = await bench.ended(executionId);
    expect(execution.status).toBe("succeeded");
    expect(bench.agent.given()).toEqual(["web-1 3", "did web-1 3"]);
    const { childExecutionId } = nodeRun(execution, "sub");
    expect(await bench.get(childExecutionId ?? "")).toMatchObject({
      status: "succeeded",
      parentExecutionId: executionId,
      trigger: { type: "workflow", variables: { host: "web-1", tries: 3 }, parentExecutionId: executionId },
    });
  });

  test("fails with the reason when its child fails or refuses the inputs", async () => {
    bench.agent.does((job) => (x(job).startsWith("web") ? failure(job, "no such host") : success(job)));
    const id = await child();
    const failed = await bench.ended(await bench.run(parent(id, { host: "web-1" })));
    expect(nodeRun(failed, "sub")).toMatchObject({ status: "failed", error: { code: "workflow_failed" } });
    expect(bench.agent.given().at(-1)).toContain("inner: no such host");
    const unfit = await bench.ended(await bench.run(parent(id, { host: 5, tries: "many" })));
    expect(nodeRun(unfit, "sub").error).toEqual({
      code: "invalid_variables",
      message:
        "The variables do not fit the workflow: variables.host must be a string; variables.tries must be a number.",
    });
  });

  test("is cancelled with its parent, down to the job on the agent", async () => {
    bench.agent.does(() => null);
    const executionId = await bench.run(parent(await child(), { host: "web-1" }));
    await eventually("the inner job", () => Promise.resolve(bench.agent.jobs[0] ?? null));
    const { childExecutionId } = nodeRun(await bench.get(executionId), "sub");
    await bench.cancel(executionId);
    expect(await bench.ended(childExecutionId ?? "")).toMatchObject({
      status: "cancelled",
      error: { message: "Cancelled by the bootstrap token." },
    });
  });

  test("that starts itself ends at the fifth level, and every level says so", async () => {
    const id = await bench.publish({ nodes: [bench.action("x")], edges: [] });
    const definition = { nodes: [{ id: "again", type: "workflow", workflowId: id }], edges: [] };
    await bench.republish(id, definition);
    const executionId = await bench.execute(id);
    const execution = await bench.ended(executionId);
    expect(execution.status).toBe("failed");
    expect(execution.error?.message).toContain("at most 5 levels deep");
    const page = z.array(z.object({ id: z.string(), status: z.string() }));
    const all = await bench.call("GET", `/executions?workflowId=${id}`, undefined, page);
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "failed"));
  });

  test("does not start a workflow that is no longer published", async () => {
    const id = await child();
    const definition = parent(id, { host: "web-1" });
    const parentId = await bench.publish(definition);
    await bench.call("POST", `/workflows/${id}/unpublish`);
    const executionId = await bench.execute(parentId);
    expect(nodeRun(await bench.ended(executionId), "sub").error?.code).toBe("workflow_not_published");
  });
});

describe("retry of an execution", () => {
  const steps = () => ({
    nodes: [bench.action("first"), bench.action("second"), bench.action("third")],
    edges: [
      { from: "first", to: "second", on: "success" },
      { from: "second", to: "third", on: "success" },
    ],
  });
  const retry = (executionId: string, body: unknown) =>
    request(bench.bellhop, "POST", `/executions/${executionId}/retry`, body);
  const retried = async (executionId: string, body: JsonObject) => bench.ended(await bench.retry(executionId, body));
  const runThatFails = () => {
    bench.agent.does((job) => (x(job) === "second" ? failure(job) : success(job, { stdout: `did ${x(job)}` })));
    return bench.run(steps());
  };

  test("from the failed node keeps the successful nodes", async () => {
    const executionId = await runThatFails();
    await bench.ended(executionId);
    bench.agent.does((job) => success(job));
    bench.agent.jobs.length = 0;
    const execution = await retried(executionId, {});
    expect(execution).toMatchObject({ status: "succeeded", retryOf: executionId, trigger: { type: "manual" } });
    expect(bench.agent.given()).toEqual(["second", "third"]);
    expect(nodeRun(execution, "first").output).toEqual({ stdout: "did first" });
  });

  test("from the start runs everything, in the same or the published version", async () => {
    const id = await bench.publish(steps());
    bench.agent.does((job) => (x(job) === "second" ? failure(job) : success(job)));
    const executionId = await bench.execute(id);
    await bench.ended(executionId);
    bench.agent.jobs.length = 0;
    await retried(executionId, { from: "start" });
    expect(bench.agent.given()).toEqual(["first", "second"]);
    const fixed = {
      nodes: [bench.action("first"), bench.action("fixed")],
      edges: [{ from: "first", to: "fixed", on: "success" }],
    };
    await bench.republish(id, fixed);
    bench.agent.jobs.length = 0;
    expect(await retried(executionId, { version: "published" })).toMatchObject({ status: "succeeded" });
    expect(bench.agent.given()).toEqual(["first", "fixed"]);
  });

  test("is refused for a workflow that is no longer published, whole or in part", async () => {
    const id = await bench.publish(steps());
    const executionId = await bench.execute(id);
    await bench.ended(executionId);
    await bench.call("POST", `/workflows/${id}/unpublish`);
    for (const from of ["start", "failed"]) {
      const problem = await problemOf(await retry(executionId, { from }), 409, "conflict");
      expect(problem.detail).toMatch(/not published|succeeded/u);
    }
  });

  test("is refused where it makes no sense, with what to do", async () => {
    const executionId = await bench.run({ nodes: [{ id: "pause", type: "delay", seconds: 600 }], edges: [] });
    expect((await problemOf(await retry(executionId, {}), 409, "conflict")).detail).toContain("still running");
    await bench.cancel(executionId);
    expect(await errorPathsOf(await retry(executionId, { from: "failed", version: "published" }))).toEqual(["from"]);
    const done = await bench.run({ nodes: [bench.action("a")], edges: [] });
    await bench.ended(done);
    const problem = await problemOf(await retry(done, { from: "failed" }), 409, "conflict");
    expect(problem.detail).toContain('from: "start"');
  });
});
