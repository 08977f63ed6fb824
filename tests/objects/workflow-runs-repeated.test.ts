import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { step } from "../../worker/actors/run/engine/step.ts";
import type { JobReport } from "../../worker/domain/job-order.ts";
import type { RunEvent } from "../../worker/actors/run/engine/types.ts";
import { newId } from "../../worker/services/ids.ts";
import { openDatabase } from "../../worker/store/database.ts";
import { loadExecution, saveStep } from "../../worker/store/executions.ts";
import { findVersion } from "../../worker/store/workflow-versions.ts";
import { success } from "../support/agent-client.ts";
import { objectNamed } from "../support/bellhop-object.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { acceptedId, createConnection, createWebhookWorkflow } from "../support/management.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";

/** A crash between a step's commit and its effects: the next call or sweep publishes all of them again. */
let bench: WorkflowBench;
let idle: string;

beforeAll(async () => {
  bench = await WorkflowBench.start();
  idle = await createConnection(bench.bellhop, { type: "script", poolId: "idle" });
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.agent.jobs.length = 0;
  bench.agent.does((job) => success(job));
});

/** The state after a crash right after a step's commit: the object is gone, and no effect was published. */
async function commitUnreported(
  executionId: string,
  event: RunEvent,
  { afterMs = 0, childVersionId = "" } = {},
): Promise<void> {
  await bench.bellhop.restartWorker();
  const now = Date.now() + afterMs;
  const db = openDatabase({ url: bench.bellhop.libsql.url });
  const stored = await loadExecution(db, executionId);
  const version = stored === null ? null : await findVersion(db, stored.state.versionId);
  if (stored === null || version === null) throw new Error(`no execution ${executionId}`);
  const { state, effects } = step(version.definition, stored.state, event, now, {
    newId: (kind) => newId(kind, now),
    publishedBy: null,
    route: () => ({
      name: "web",
      type: "script",
      enabled: true,
      targets: null,
      poolObject: "pool:p",
      pinnedAgentId: null,
    }),
    child: () => ({ versionId: childVersionId, resolve: (variables) => ({ ok: true, variables }) }),
  });
  await saveStep(db, {
    before: stored.state,
    after: { ...state, wakeAt: state.wakeAt === null ? null : state.wakeAt - afterMs },
    meta: stored.meta,
    eventType: event.type,
    at: now,
    orders: effects.flatMap((effect) => (effect.type === "enqueueJob" ? [effect.order] : [])),
    ...jobsIn(event),
    cancelledJobIds: effects.flatMap((effect) => (effect.type === "cancelJob" ? [effect.jobId] : [])),
  });
}

function jobsIn(event: RunEvent) {
  const report = event.type === "jobFinished" ? event.report : null;
  return report?.reroute === undefined ? { endedJob: report } : { endedJob: null, reroutedJob: report };
}

/** Ages the execution, as if more than a minute had passed since its jobs were queued. */
async function age(executionId: string): Promise<void> {
  await query(bench.bellhop, "UPDATE jobs SET queued_at = queued_at - 120000 WHERE execution_id = ?", [executionId]);
  await query(bench.bellhop, "UPDATE executions SET wake_at = wake_at - 120000 WHERE id = ?", [executionId]);
  await query(bench.bellhop, "UPDATE node_runs SET wake_at = wake_at - 120000 WHERE execution_id = ?", [executionId]);
}

const waitingIn = async (poolId: string) => {
  const shape = z.object({ waiting: z.array(z.object({ jobId: z.string() })) });
  return (await bench.call("GET", `/pools/${poolId}`, undefined, shape)).waiting.map(({ jobId }) => jobId);
};

describe("an effect that was committed but not published is published by the sweep", () => {
  test("a cancel: its job leaves the pool, so that the next agent does not run it", async () => {
    const executionId = await bench.run({ nodes: [{ ...bench.action("a"), connectionId: idle }], edges: [] });
    const jobId = nodeRun(await bench.get(executionId), "a").jobId ?? "";
    await commitUnreported(executionId, { type: "cancelled", by: "ann" });
    expect(await waitingIn("idle")).toContain(jobId);
    await age(executionId);
    await bench.bellhop.worker.tick();
    expect(await waitingIn("idle")).not.toContain(jobId);
  });

  test("a job of a connection that moved: the new pool gets it", async () => {
    const connectionId = await createConnection(bench.bellhop, { type: "script", poolId: "idle" });
    const executionId = await bench.run({ nodes: [{ ...bench.action("a"), connectionId }], edges: [] });
    const jobId = nodeRun(await bench.get(executionId), "a").jobId ?? "";
    await query(bench.bellhop, "UPDATE connections SET pool_id = 'p' WHERE id = ?", [connectionId]);
    const times = { queuedAt: 1, assignedAt: null, deliveredAt: null, startedAt: null, finishedAt: 1, reportedAt: 1 };
    const reroute = { poolObject: "pool:p", pinnedAgentId: null, reroutes: 1 };
    const none = { output: null, error: null, agentId: null, times, lost: false };
    const report: JobReport = { jobId, attempt: 1, status: "cancelled", ...none, reroute };
    await commitUnreported(executionId, { type: "jobFinished", report });
    expect((await bench.get(executionId)).status).toBe("running");
    await age(executionId);
    await bench.bellhop.worker.tick();
    expect((await bench.ended(executionId)).status).toBe("succeeded");
    expect(bench.agent.jobs.filter(({ id }) => id === jobId)).toHaveLength(1);
  });

  test("an end: its webhook's gate answers duplicates with it", async () => {
    const hook = await createWebhookWorkflow(bench.bellhop, {
      nodes: [{ ...bench.action("a"), connectionId: idle }],
      edges: [],
    });
    const body = { variables: { n: 1 } };
    const executionId = await acceptedId(await hook.ring(body));
    await eventually(
      "the execution to have a job",
      async () => (await bench.get(executionId)).nodeRuns[0]?.jobId ?? null,
    );
    await commitUnreported(executionId, { type: "cancelled", by: "ann" });
    await age(executionId);
    await bench.bellhop.worker.tick();
    const again = z.object({ data: z.object({ status: z.string(), deduplicated: z.literal(true) }) });
    await eventually("the gate to know the end", async () => {
      const answer = again.parse(await (await hook.ring(body)).json());
      return answer.data.status === "cancelled" ? true : null;
    });
  });

  test("a sub-workflow's start: its parent starts it", async () => {
    const child = await bench.publish({ nodes: [bench.action("inner")], edges: [] });
    const parent = await bench.publish({
      nodes: [
        { id: "pause", type: "delay", seconds: 600 },
        { id: "sub", type: "workflow", workflowId: child },
      ],
      edges: [{ from: "pause", to: "sub", on: "success" }],
    });
    const executionId = await bench.execute(parent);
    const { publishedVersionId } = await bench.call(
      "GET",
      `/workflows/${child}`,
      undefined,
      z.object({ publishedVersionId: z.string() }),
    );
    await commitUnreported(executionId, { type: "woken" }, { afterMs: 600_000, childVersionId: publishedVersionId });
    expect(bench.agent.jobs).toEqual([]);
    await age(executionId);
    await bench.bellhop.worker.tick();
    const execution = await bench.ended(executionId);
    expect(execution.status).toBe("succeeded");
    expect(bench.agent.given()).toEqual(["inner"]);
  });

  test("a sub-workflow's end: its parent asks for it", async () => {
    const child = await bench.publish({ nodes: [{ ...bench.action("inner"), connectionId: idle }], edges: [] });
    const executionId = await bench.run({ nodes: [{ id: "sub", type: "workflow", workflowId: child }], edges: [] });
    const childId = nodeRun(await bench.get(executionId), "sub").childExecutionId ?? "";
    const jobId = nodeRun(await bench.get(childId), "inner").jobId ?? "";
    const at = Date.now();
    const times = { queuedAt: at, assignedAt: at, deliveredAt: at, startedAt: at, finishedAt: at, reportedAt: at };
    const output = { stdout: "done" };
    const report = {
      jobId,
      attempt: 1,
      status: "succeeded",
      output,
      error: null,
      agentId: null,
      times,
      lost: false,
    } as const;
    await commitUnreported(childId, { type: "jobFinished", report });
    expect((await bench.get(executionId)).status).toBe("running");
    await age(executionId);
    await bench.bellhop.worker.tick();
    const execution = await bench.ended(executionId);
    expect(nodeRun(execution, "sub").output).toMatchObject({ outputs: { inner: output } });
  });
});

test("an execution that has run for 400 days ends with the next tick", async () => {
  const workflowId = await bench.publish({ nodes: [{ id: "ask", type: "approval", message: "?" }], edges: [] });
  const { publishedVersionId } = await bench.call(
    "GET",
    `/workflows/${workflowId}`,
    undefined,
    z.object({ publishedVersionId: z.string() }),
  );
  const startedAt = Date.now() - 401 * 24 * 60 * 60 * 1_000;
  const executionId = newId("execution", startedAt);
  const run = await objectNamed(bench.bellhop, "WORKFLOW_RUNS", workflowId);
  const trigger = { type: "manual", variables: {}, by: null } as const;
  await run.start({
    executionId,
    workflowId,
    versionId: publishedVersionId,
    trigger,
    triggerKey: executionId,
    webhookKey: null,
    startedAt,
  });
  expect((await bench.get(executionId)).status).toBe("running");
  // The time limit counts from the first step, which this test cannot take a year ago.
  await query(bench.bellhop, "UPDATE executions SET begun_at = started_at WHERE id = ?", [executionId]);
  await bench.bellhop.restartWorker();
  await bench.bellhop.worker.tick();
  expect(await bench.get(executionId)).toMatchObject({ status: "failed", error: { code: "execution_timed_out" } });
});

describe("a call that fails after a commit", () => {
  /** Makes libSQL fail for rows of this kind: batches without such a row succeed. */
  async function refuse(name: string, when: string): Promise<() => Promise<unknown>> {
    await query(
      bench.bellhop,
      `CREATE TRIGGER ${name} BEFORE INSERT ON execution_events WHEN ${when} BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END`,
    );
    return () => query(bench.bellhop, `DROP TRIGGER ${name}`);
  }

  test("reports a schedule's end again, and its failure counts once", async () => {
    const child = await bench.publish({ nodes: [{ id: "pause", type: "delay", seconds: 3_600 }], edges: [] });
    const definition = { nodes: [{ id: "sub", type: "workflow", workflowId: child }], edges: [], timeoutSeconds: 1 };
    const workflowId = await bench.publish(definition, { type: "cron", expression: "0 0 1 1 *" });
    await bench.call("POST", `/workflows/${workflowId}/activate`);
    const { publishedVersionId: versionId } = await bench.call(
      "GET",
      `/workflows/${workflowId}`,
      undefined,
      z.object({ publishedVersionId: z.string() }),
    );
    const startedAt = Date.now() + 1;
    const executionId = newId("execution", startedAt);
    const run = await objectNamed(bench.bellhop, "WORKFLOW_RUNS", workflowId);
    const trigger = { type: "cron", scheduledAt: new Date(startedAt).toISOString() } as const;
    await run.start({
      executionId,
      workflowId,
      versionId,
      trigger,
      triggerKey: executionId,
      webhookKey: null,
      startedAt,
    });
    expect(await bench.ended(executionId)).toMatchObject({ error: { code: "execution_timed_out" } });
    expect(await failuresOf(workflowId)).toBe(1);
    const { revision } = await bench.get(executionId);
    await bench.bellhop.restartWorker();
    await age(executionId);
    await bench.bellhop.worker.tick();
    expect((await bench.get(executionId)).revision).toBe(revision + 1);
    expect(await failuresOf(workflowId)).toBe(1);
  });

  async function failuresOf(workflowId: string): Promise<unknown> {
    const sql = "SELECT consecutive_failures AS failures FROM workflows WHERE id = ?";
    return (await query(bench.bellhop, sql, [workflowId]))[0]?.["failures"];
  }

  test("does not fail the caller: the parent is cancelled, and its sub-workflow is cancelled later", async () => {
    const child = await bench.publish({ nodes: [{ id: "pause", type: "delay", seconds: 3_600 }], edges: [] });
    const executionId = await bench.run({ nodes: [{ id: "sub", type: "workflow", workflowId: child }], edges: [] });
    const childId = await eventually("the child to run", async () => {
      const id = nodeRun(await bench.get(executionId), "sub").childExecutionId;
      return id === null ? null : (await bench.get(id)).id;
    });
    const allow = await refuse("no_child_cancel", `NEW.type = 'cancelled' AND NEW.execution_id = '${childId}'`);
    await bench.cancel(executionId);
    expect((await bench.get(childId)).status).toBe("running");
    await allow();
    // As after a crash: no pending call is in memory.
    await bench.bellhop.restartWorker();
    await age(executionId);
    await bench.bellhop.worker.tick();
    expect(await bench.ended(childId)).toMatchObject({ status: "cancelled" });
  });
});
