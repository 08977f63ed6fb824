import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { definitionSchema } from "../../schema/contract/workflow.ts";
import { saveStep } from "../../worker/store/executions.ts";
import { openDatabase } from "../../worker/store/database.ts";
import { createExecution, step } from "../../worker/actors/run/engine/step.ts";
import { newId } from "../../worker/services/ids.ts";
import type { StartOrder } from "../../worker/services/ports.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { objectNamed } from "../support/bellhop-object.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import {
  call,
  chain,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  getExecution,
} from "../support/management.ts";

/** The object in real workerd with a real libSQL server: called twice, called late, interrupted. */
describe("WorkflowRuns", () => {
  let bellhop: Bellhop;
  let connectionId: string;
  let workflow: { workflowId: string; versionId: string };

  beforeAll(async () => {
    bellhop = await startBellhop();
    await createAgent(bellhop, { poolId: "idle" });
    connectionId = await createConnection(bellhop, { type: "script", poolId: "idle" });
  });
  afterAll(() => bellhop.stop());
  beforeEach(async () => {
    workflow = await publishedWorkflow();
  });

  test("starts one execution with one job for many simultaneous start calls", async () => {
    const order = startOrder();
    const run = await runObject();
    const answers = await Promise.all(Array.from({ length: 10 }, () => run.start(order)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set(["running"]));
    expect(await jobsOf(order.executionId)).toHaveLength(1);
    expect((await getExecution(bellhop, order.executionId)).startedAt).toBe(new Date(order.startedAt).toISOString());
  });

  test("starts one execution for two ids with one trigger key", async () => {
    const first = startOrder();
    const second = { ...startOrder(), triggerKey: first.triggerKey };
    const run = await runObject();
    await run.start(first);
    expect(await run.start(second)).toEqual({ executionId: first.executionId, status: "running" });
    expect(await jobsOf(second.executionId)).toHaveLength(0);
  });

  test("finds the committed execution when a start is repeated after a restart", async () => {
    const order = startOrder();
    await (await runObject()).start(order);
    const before = await jobsOf(order.executionId);
    await bellhop.restartWorker();
    expect((await (await runObject()).start(order)).status).toBe("running");
    expect(await jobsOf(order.executionId)).toEqual(before);
  });

  test("applies a repeated end of a job once, and ignores an unknown job", async () => {
    const order = startOrder();
    const run = await runObject();
    await run.start(order);
    const [job] = await jobsOf(order.executionId);
    const report = reportFor(job?.id ?? "");
    await run.jobFinished(order.executionId, reportFor(newId("job", Date.now())));
    await Promise.all([run.jobFinished(order.executionId, report), run.jobFinished(order.executionId, report)]);
    const execution = await getExecution(bellhop, order.executionId);
    expect(execution.nodeRuns.map((node) => [node.nodeId, node.status])).toEqual([
      ["first", "succeeded"],
      ["second", "waiting"],
    ]);
    expect(await jobsOf(order.executionId)).toHaveLength(2);
    expect(await revisionsOf(order.executionId)).toEqual([1, 2]);
  });

  test("cancels the job with the execution, and ignores its later report", async () => {
    const order = startOrder();
    const run = await runObject();
    await run.start(order);
    const [job] = await jobsOf(order.executionId);
    expect(await run.cancel(order.executionId, "a tester")).toBe("cancelled");
    await run.jobFinished(order.executionId, reportFor(job?.id ?? ""));
    const execution = await getExecution(bellhop, order.executionId);
    expect(execution.status).toBe("cancelled");
    expect(execution.nodeRuns.map((node) => node.status)).toEqual(["cancelled", "skipped"]);
    const pool = await call(bellhop, "GET", "/pools/idle", undefined, poolShape);
    expect(pool.waiting.map((waiting) => waiting.jobId)).not.toContain(job?.id ?? "");
  });

  test("returns null for a cancel of an unknown execution", async () => {
    expect(await (await runObject()).cancel(newId("execution", Date.now()), "a tester")).toBeNull();
  });

  test("sends a job that was committed but not published to its pool with the next sweep", async () => {
    const order = { ...startOrder(), startedAt: Date.now() - 120_000 };
    await commitWithoutNotice(order);
    const [job] = await jobsOf(order.executionId);
    expect(await waitingIn("idle")).not.toContain(job?.id ?? "");
    await bellhop.worker.tick();
    expect(await waitingIn("idle")).toContain(job?.id ?? "");
    await bellhop.worker.tick();
    expect((await jobsOf(order.executionId))[0]?.confirmed_at).not.toBeNull();
  });

  test("ends a delay by its own alarm, and the next node begins", async () => {
    const { workflowId } = await createWebhookWorkflow(bellhop, {
      nodes: [
        { id: "pause", type: "delay", seconds: 1 },
        { id: "after", type: "action", action: "script.bash", connectionId, params: { script: "true" } },
      ],
      edges: [{ from: "pause", to: "after", on: "success" }],
    });
    workflow = await versionOf(workflowId);
    const order = startOrder();
    await (await runObject()).start(order);
    expect(await jobsOf(order.executionId)).toHaveLength(0);
    // No sweep runs here, and there is no call: only the alarm can continue.
    await eventually("the job behind the delay", async () => (await jobsOf(order.executionId)).length === 1);
    const execution = await getExecution(bellhop, order.executionId);
    expect(execution.nodeRuns.map((node) => [node.nodeId, node.status])).toEqual([
      ["pause", "succeeded"],
      ["after", "waiting"],
    ]);
  });

  test("begins a retry as a new attempt with a new job, after its back-off", async () => {
    const { workflowId } = await createWebhookWorkflow(bellhop, {
      nodes: [
        {
          id: "flaky",
          type: "action",
          action: "script.bash",
          connectionId,
          params: { script: "true" },
          retry: { maxAttempts: 2, backoffSeconds: 0.2 },
        },
      ],
      edges: [],
    });
    workflow = await versionOf(workflowId);
    const order = startOrder();
    const run = await runObject();
    await run.start(order);
    const [first] = await jobsOf(order.executionId);
    const failed = { status: "failed" as const, output: null, error: { code: "nonzero_exit", message: "it failed" } };
    await run.jobFinished(order.executionId, { ...reportFor(first?.id ?? ""), ...failed });
    const second = await eventually("the second attempt", async () =>
      (await jobsOf(order.executionId)).find((job) => job.id !== first?.id),
    );
    await run.jobFinished(order.executionId, { ...reportFor(second.id), ...failed, attempt: 2 });
    const execution = await getExecution(bellhop, order.executionId);
    expect(execution.status).toBe("failed");
    expect(execution.nodeRuns[0]).toMatchObject({ attempt: 2, error: { code: "nonzero_exit" } });
  });

  test("fails a start without libSQL, and the repeated start succeeds", async () => {
    const order = startOrder();
    const run = await runObject();
    await bellhop.stopLibsql();
    await expect(run.start(order)).rejects.toThrow();
    await bellhop.startLibsql();
    await eventually("the start to succeed", async () => (await run.start(order)).status === "running");
    expect(await jobsOf(order.executionId)).toHaveLength(1);
  });

  function startOrder(): StartOrder {
    const executionId = newId("execution", Date.now());
    return {
      executionId,
      ...workflow,
      trigger: { type: "webhook", variables: { service: "checkout" } },
      triggerKey: executionId,
      webhookKey: null,
      startedAt: Date.now(),
    };
  }

  async function publishedWorkflow(): Promise<{ workflowId: string; versionId: string }> {
    const { workflowId } = await createWebhookWorkflow(
      bellhop,
      chain([
        { id: "first", action: "script.bash", connectionId, params: { script: 'echo "{{webhook.service}}"' } },
        { id: "second", action: "script.bash", connectionId, params: { script: "true" } },
      ]),
    );
    return versionOf(workflowId);
  }

  async function versionOf(workflowId: string): Promise<{ workflowId: string; versionId: string }> {
    const shape = z.object({ publishedVersionId: z.string() });
    const { publishedVersionId } = await call(bellhop, "GET", `/workflows/${workflowId}`, undefined, shape);
    return { workflowId, versionId: publishedVersionId };
  }

  const runObject = () => objectNamed(bellhop, "WORKFLOW_RUNS", workflow.workflowId);

  /** The state after a crash right after the commit. */
  async function commitWithoutNotice(order: StartOrder): Promise<void> {
    const definition = await call(
      bellhop,
      "GET",
      `/workflows/${order.workflowId}`,
      undefined,
      z.object({ definition: definitionSchema }),
    );
    const initial = createExecution({
      id: order.executionId,
      workflowId: order.workflowId,
      versionId: order.versionId,
      trigger: order.trigger,
      startedAt: order.startedAt,
    });
    const { state, effects } = step(definition.definition, initial, { type: "started" }, order.startedAt, {
      newId: (kind) => newId(kind, order.startedAt),
      publishedBy: null,
      route: () => ({
        name: "web",
        type: "script",
        enabled: true,
        targets: null,
        poolObject: "pool:idle",
        pinnedAgentId: null,
      }),
      child: () => null,
    });
    await saveStep(openDatabase({ url: bellhop.libsql.url }), {
      before: null,
      after: state,
      meta: { triggerKey: order.triggerKey, webhookKey: null, parent: null, retryOf: null, startedBy: [] },
      eventType: "started",
      at: order.startedAt,
      orders: effects.flatMap((effect) => (effect.type === "enqueueJob" ? [effect.order] : [])),
      endedJob: null,
      cancelledJobIds: [],
    });
  }

  async function waitingIn(poolId: string): Promise<string[]> {
    return (await call(bellhop, "GET", `/pools/${poolId}`, undefined, poolShape)).waiting.map((job) => job.jobId);
  }

  async function jobsOf(executionId: string): Promise<z.infer<typeof jobRow>[]> {
    const sql = "SELECT id, confirmed_at FROM jobs WHERE execution_id = ? ORDER BY id";
    return z.array(jobRow).parse(await query(bellhop, sql, [executionId]));
  }

  async function revisionsOf(executionId: string): Promise<unknown[]> {
    const sql = "SELECT revision FROM execution_events WHERE execution_id = ? ORDER BY revision";
    return (await query(bellhop, sql, [executionId])).map((row) => row["revision"]);
  }
});

const jobRow = z.object({ id: z.string(), confirmed_at: z.number().nullable() });
const poolShape = z.object({ waiting: z.array(z.object({ jobId: z.string() })) });

function reportFor(jobId: string) {
  const at = Date.now();
  return {
    jobId,
    attempt: 1,
    status: "succeeded" as const,
    output: { stdout: "done\n", stderr: "", exitCode: 0 },
    error: null,
    agentId: null,
    times: { queuedAt: at, assignedAt: at, deliveredAt: at, startedAt: at, finishedAt: at, reportedAt: at },
    lost: false,
  };
}
