import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { ExecutionView } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { startAgentProcess } from "../../scripts/local/agent-process.ts";
import type { AgentProcess } from "../../scripts/local/agent-process.ts";
import { traceIdOf } from "../../worker/domain/trace/trace-ids.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { call, createAgent, createConnection, ended, getExecution } from "../support/management.ts";
import { startOtlpReceiver, treeOf } from "../support/otlp-receiver.ts";
import type { OtlpReceiver, SpanTree } from "../support/otlp-receiver.ts";

/**
 * The trace of a run without a fake: workerd, libSQL, the compiled agent and bash. The run has an approval, an action
 * that succeeds at its second attempt, a forEach in batches, and a sub-workflow with another one in it.
 */
describe("the trace of a run", () => {
  let bellhop: Bellhop;
  let receiver: OtlpReceiver;
  let agent: AgentProcess;
  let directory: string;
  let script: string;
  let execution: ExecutionView;
  const withId = z.object({ id: z.string() });

  beforeAll(async () => {
    receiver = startOtlpReceiver();
    bellhop = await startBellhop({ bindings: { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/` } });
    directory = await mkdtemp(join(tmpdir(), "bellhop-traces-"));
    const { apiKey } = await createAgent(bellhop, { poolId: "dc-1" });
    agent = await startAgentProcess({
      stateDirectory: directory,
      apiUrl: bellhop.url,
      apiKey,
      environment: { POLL_INTERVAL: "1", ADMIN_TOKEN: "agent-admin-token-for-this-test" },
    });
    script = await createConnection(bellhop, { type: "script", poolId: "dc-1" });
    execution = await runAll();
    await bellhop.worker.tick();
  }, 120_000);
  afterAll(async () => {
    await agent?.stop();
    await bellhop?.stop();
    await receiver?.stop();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });

  test("is one tree with every attempt, stage, item and sub-workflow", () => {
    expect(receiver.problems).toEqual([]);
    for (const span of receiver.spans) expect(span.traceId).toBe(traceIdOf(execution.id));
    const tree = treeOf(receiver.spans);
    const stages = { queued: {}, assigned: {}, delivered: {}, running: {}, reported: {} };
    const job = { "script.bash": stages };
    const expected: SpanTree = {
      Outer: {
        "Sure?": {},
        flaky: { "script.bash": stages, "script.bash (2)": stages },
        each: { "item 1": { host: job }, "item 2": { host: job }, "item 3": { host: job } },
        sub: { Middle: { deeper: { Inner: { last: job } } } },
      },
    };
    expect(withoutStarts(tree)).toEqual(expected);
  });

  test("has each item's batch, each attempt's failure, and the agent", () => {
    const batches = [1, 2, 3].map((item) => receiver.named(`item ${item}`)[0]?.attributes["bellhop.item.batch"]);
    expect(batches).toEqual(["1", "1", "2"]);
    const [flaky] = receiver.named("flaky");
    expect(flaky).toMatchObject({ status: {}, attributes: { "bellhop.node.attempts": "2" } });
    const attempts = receiver.named("script.bash").filter(({ parentSpanId }) => parentSpanId === flaky?.spanId);
    expect(attempts.map(({ status }) => status)).toEqual([{ code: 2, message: "nonzero_exit" }, {}]);
    for (const { attributes } of attempts) {
      expect(attributes["bellhop.pool.id"]).toBe("dc-1");
      expect(attributes["bellhop.agent.id"]).toStartWith("agt_");
    }
  });

  test("gives each script the context of its span as TRACEPARENT, unless the workflow sets it", async () => {
    const printed = new Map<string, unknown>();
    for (const executionId of executionIds()) {
      for (const { output, jobId } of (await getExecution(bellhop, executionId)).nodeRuns) {
        if (jobId !== null) printed.set(jobId, z.object({ stdout: z.string() }).parse(output).stdout);
      }
    }
    const spans = receiver.named("script.bash").filter(({ status }) => status.code === undefined);
    expect(spans).toHaveLength(5);
    for (const { traceId, spanId, attributes } of spans) {
      const jobId = String(attributes["bellhop.job.id"]);
      expect(printed.get(jobId)).toBe(printed.get(jobId) === "mine" ? "mine" : `00-${traceId}-${spanId}-01`);
    }
    expect([...printed.values()].filter((text) => text === "mine")).toHaveLength(1);
  });

  test("has spans within those around them", () => {
    const byId = new Map(receiver.spans.map((span) => [span.spanId, span]));
    for (const span of receiver.spans) {
      const around = byId.get(span.parentSpanId ?? "");
      if (around === undefined) continue;
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(around.startTimeUnixNano));
      expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(around.endTimeUnixNano));
    }
  });

  async function runAll(): Promise<ExecutionView> {
    const inner = await publish("Inner", { nodes: [print("last", { env: { TRACEPARENT: "mine" } })], edges: [] });
    const middle = await publish("Middle", {
      nodes: [{ id: "deeper", type: "workflow", workflowId: inner, variables: {} }],
      edges: [],
    });
    const attempts = join(directory, "attempts");
    const flaky = { script: `echo >> ${attempts}; test $(wc -l < ${attempts}) = 2 && printf "$TRACEPARENT"` };
    const outer = await publish("Outer", {
      nodes: [
        { id: "ask", name: "Sure?", type: "approval", message: "Sure?" },
        { ...print("flaky", flaky), retry: { maxAttempts: 2, backoffSeconds: 0 } },
        {
          id: "each",
          type: "forEach",
          items: '["a", "b", "c"]',
          batchSize: 2,
          body: { nodes: [print("host")], edges: [] },
        },
        { id: "sub", type: "workflow", workflowId: middle, variables: {} },
      ],
      edges: [
        { from: "ask", to: "flaky", on: "approved" },
        { from: "flaky", to: "each", on: "success" },
        { from: "each", to: "sub", on: "success" },
      ],
    });
    const started = z.object({ executionId: z.string() });
    const { executionId } = await call(bellhop, "POST", `/workflows/${outer}/execute`, { variables: {} }, started);
    const asked = await eventually("the approval to wait", async () => {
      const { nodeRuns } = await getExecution(bellhop, executionId);
      return nodeRuns.find(({ nodeId, status }) => nodeId === "ask" && status === "waiting") ?? null;
    });
    const answer = { nodeRunId: asked.id, decision: "approved" };
    await call(bellhop, "POST", `/executions/${executionId}/approve`, answer, z.unknown());
    const whole = await ended(bellhop, executionId);
    expect(whole).toMatchObject({ status: "succeeded", error: null });
    return whole;
  }

  async function publish(name: string, definition: unknown): Promise<string> {
    const workflow = { name, trigger: { type: "manual" }, definition };
    const { id } = await call(bellhop, "POST", "/workflows", workflow, withId);
    await call(bellhop, "POST", `/workflows/${id}/publish`, undefined, z.unknown());
    return id;
  }

  function print(id: string, params: JsonObject = {}): JsonObject {
    return {
      id,
      type: "action",
      action: "script.bash",
      connectionId: script,
      params: { script: 'printf "$TRACEPARENT"', ...params },
    };
  }

  function executionIds(): string[] {
    return receiver.spans.flatMap(({ attributes }) => {
      const id = attributes["bellhop.execution.id"];
      return typeof id === "string" ? id : [];
    });
  }
});

/** A run that a busy machine begins later has a span for it. */
function withoutStarts(tree: SpanTree): SpanTree {
  const kept = Object.entries(tree).filter(([name]) => name !== "start");
  return Object.fromEntries(kept.map(([name, below]) => [name, withoutStarts(below)]));
}
