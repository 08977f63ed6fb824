import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { validateAnswerSchema } from "../../schema/contract/dry-run.ts";
import type { ExecutionSummary, ExecutionView } from "../../schema/contract/execution.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { readYaml } from "../../worker/domain/workflow-file/read-yaml.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  activeWorkflow,
  failingWorkflow,
  failureWorkflow,
  failuresOf,
  reported,
} from "../support/failure-workflows.ts";
import { eventually } from "../support/eventually.ts";
import { createIncident, executionsOf } from "../support/incidents.ts";
import { openWindow } from "../support/maintenance.ts";
import { ended } from "../support/management.ts";
import { call, createWorkflow, dataOf, errorPathsOf, verb } from "../support/management-api.ts";
import { query } from "../support/database.ts";
import { SUCCEEDS } from "../support/schedules.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop({ bindings: { PUBLIC_URL: "https://bellhop.example.org" } });
});
afterAll(() => bellhop.stop());
/** Each test has the failure workflows that it makes, and no others. */
afterEach(() => query(bellhop, "update workflows set active = 0"));

const started = async (path: string, body: object = {}) =>
  (await dataOf(await call(bellhop, "POST", path, body), 201, triggerAnswerSchema)).executionId;
const run = (workflowId: string) => started(`/workflows/${workflowId}/execute`);
const retry = (executionId: string) => started(`/executions/${executionId}/retry`);
const callsOnly = (workflowId: string) => ({ nodes: [{ id: "sub", type: "workflow", workflowId }], edges: [] });

/** The execution, after its end and its report. */
async function reportedEnd(executionId: string): Promise<ExecutionView> {
  const execution = await ended(bellhop, executionId);
  await reported(bellhop);
  return execution;
}

describe("a failed run", () => {
  test("starts each active failure workflow once, with the failure", async () => {
    const first = await failureWorkflow(bellhop);
    const second = await failureWorkflow(bellhop);
    const workflowId = await failingWorkflow(bellhop, { tags: ["shop", "eu"] });
    const execution = await reportedEnd(await run(workflowId));
    const failed = {
      executionId: execution.id,
      key: "shop-1",
      workflow: { id: workflowId, name: "Repair", tags: ["shop", "eu"] },
      status: "failed",
      error: { ...execution.error },
      node: { id: "run", name: "Restart it" },
      trigger: { type: "manual" },
      startedAt: execution.startedAt,
      endedAt: execution.finishedAt ?? "",
      url: `https://bellhop.example.org/executions/${execution.id}`,
    };
    expect(failed.error.code).toBe("connection_disabled");
    expect(await failuresOf(bellhop, first)).toEqual([failed]);
    expect(await failuresOf(bellhop, second)).toEqual([failed]);
    await bellhop.worker.tick();
    expect(await executionsOf(bellhop, first)).toHaveLength(1);
    const listed = await call(bellhop, "GET", `/executions?trigger=failure&workflowId=${first}`);
    expect(await listed.json()).toMatchObject({ data: [{ trigger: { type: "failure" }, status: "succeeded" }] });
  });

  test("has the incident that started it, without its tags being lost", async () => {
    const report = await failureWorkflow(bellhop);
    const trigger = { type: "incident", events: ["incident.created"], coalesce: { windowSeconds: 1 } };
    await failingWorkflow(bellhop, { trigger });
    const incident = await createIncident(bellhop, { service: "checkout", tags: { "k8s.io/name": "shop" } });
    const [workflow] = await query(bellhop, "select id from workflows where published_trigger_type = 'incident'");
    await ended(bellhop, (await startedBy(String(workflow?.["id"]))).id);
    await reported(bellhop);
    const [failed] = await failuresOf(bellhop, report);
    expect(failed).toMatchObject({
      trigger: { type: "incident" },
      incident: { id: incident.id, service: "checkout", tags: { "k8s.io/name": "shop" } },
    });
    expect(Object.keys(Object(failed?.["incident"]))).not.toContain("batch");
  });

  test("that reaches its time limit says so", async () => {
    const report = await failureWorkflow(bellhop);
    const pause = { nodes: [{ id: "pause", type: "delay", seconds: 60 }], edges: [], timeoutSeconds: 1 };
    const slow = await activeWorkflow(bellhop, { trigger: { type: "manual" }, definition: pause });
    await reportedEnd(await run(slow));
    expect(await failuresOf(bellhop, report)).toMatchObject([
      { status: "timed_out", error: { code: "execution_timed_out" }, node: { id: "pause" } },
    ]);
  });

  test("has the name and tags of its workflow, which was deleted meanwhile", async () => {
    const all = await failureWorkflow(bellhop);
    const shop = await failureWorkflow(bellhop, { tags: ["shop"] });
    const pause = { nodes: [{ id: "pause", type: "delay", seconds: 60 }], edges: [], timeoutSeconds: 2 };
    const body = { name: "Slow", tags: ["shop"], trigger: { type: "manual" }, definition: pause };
    const slow = await activeWorkflow(bellhop, body);
    const id = await run(slow);
    expect((await call(bellhop, "DELETE", `/workflows/${slow}`)).ok).toBe(true);
    await reportedEnd(id);
    const failed = { executionId: id, status: "timed_out", workflow: { id: slow, name: "Slow", tags: ["shop"] } };
    for (const report of [all, shop]) expect(await failuresOf(bellhop, report)).toMatchObject([failed]);
  });

  test("starts only workflows for its tags, and those for every workflow", async () => {
    const all = await failureWorkflow(bellhop);
    const shop = await failureWorkflow(bellhop, { tags: ["payments", "shop"] });
    const other = await failureWorkflow(bellhop, { tags: ["other"] });
    await reportedEnd(await run(await failingWorkflow(bellhop, { tags: ["eu", "shop"] })));
    await reportedEnd(await run(await failingWorkflow(bellhop)));
    expect(await failuresOf(bellhop, all)).toHaveLength(2);
    expect(await failuresOf(bellhop, shop)).toHaveLength(1);
    expect(await failuresOf(bellhop, other)).toHaveLength(0);
  });

  test("is reported again when its retry fails", async () => {
    const report = await failureWorkflow(bellhop);
    const first = await reportedEnd(await run(await failingWorkflow(bellhop)));
    const second = await reportedEnd(await retry(first.id));
    expect((await failuresOf(bellhop, report)).map(({ executionId }) => executionId)).toEqual([first.id, second.id]);
  });

  test("starts one workflow for the whole of it: its sub-workflows are not reported", async () => {
    const report = await failureWorkflow(bellhop);
    const outer = await activeWorkflow(bellhop, {
      trigger: { type: "manual" },
      definition: callsOnly(await failingWorkflow(bellhop)),
    });
    const { id, nodeRuns } = await reportedEnd(await run(outer));
    expect((await failuresOf(bellhop, report)).map(({ executionId }) => executionId)).toEqual([id]);
    // Nor is a sub-workflow that a person repeats alone.
    await reportedEnd(await retry(nodeRuns[0]?.childExecutionId ?? ""));
    expect(await failuresOf(bellhop, report)).toHaveLength(1);
  });

  test("makes its starter a starter of the failure workflow's run", async () => {
    const report = await failureWorkflow(bellhop);
    const { id } = await reportedEnd(await run(await failingWorkflow(bellhop)));
    const rows = await query(bellhop, "update executions set started_by = '[\"user:ada\"]' where id = ?", [id]);
    expect(rows).toEqual([]);
    await reportedEnd(await retry(id));
    const [, second] = await executionsOf(bellhop, report);
    const [row] = await query(bellhop, "select started_by from executions where id = ?", [second?.id ?? ""]);
    expect(String(row?.["started_by"])).toContain("user:ada");
  });
});

describe("no failure workflow starts", () => {
  test("after a run that succeeded, was cancelled or was skipped", async () => {
    const report = await failureWorkflow(bellhop);
    const quick = await activeWorkflow(bellhop, { trigger: { type: "manual" }, definition: SUCCEEDS });
    await reportedEnd(await run(quick));
    const pause = { nodes: [{ id: "pause", type: "delay", seconds: 60 }], edges: [], concurrency: { mode: "skip" } };
    const slow = await activeWorkflow(bellhop, { trigger: { type: "manual" }, definition: pause });
    const running = await run(slow);
    expect((await reportedEnd(await run(slow))).error?.code).toBe("skipped_busy");
    await call(bellhop, "POST", `/executions/${running}/cancel`);
    await reportedEnd(running);
    expect(await failuresOf(bellhop, report)).toEqual([]);
  });

  test("that is inactive, unpublished, a draft or deleted", async () => {
    const inactive = await failureWorkflow(bellhop);
    await verb(bellhop, inactive, "deactivate");
    const unpublished = await failureWorkflow(bellhop);
    await verb(bellhop, unpublished, "unpublish");
    const deleted = await failureWorkflow(bellhop);
    await call(bellhop, "DELETE", `/workflows/${deleted}`);
    const draft = await createWorkflow(bellhop, { trigger: { type: "failure" } });
    await reportedEnd(await run(await failingWorkflow(bellhop)));
    for (const id of [inactive, unpublished, deleted, draft.id]) expect(await executionsOf(bellhop, id)).toEqual([]);
    expect(await query(bellhop, "select * from unreported_failures")).toEqual([]);
  });

  test("after a run of a failure workflow: not by a failure, a person, a retry or its sub-workflow", async () => {
    const report = await failureWorkflow(bellhop);
    const broken = await failingWorkflow(bellhop, { trigger: { type: "failure" } });
    const calls = await failureWorkflow(bellhop, {}, { definition: callsOnly(await failingWorkflow(bellhop)) });
    await reportedEnd(await run(await failingWorkflow(bellhop)));
    const endOf = async (id: string) => reportedEnd((await startedBy(id)).id);
    const failed = await endOf(broken);
    const { nodeRuns } = await endOf(calls);
    expect(failed.status).toBe("failed");
    await reportedEnd(await retry(failed.id));
    await reportedEnd(await run(broken));
    await reportedEnd(await retry(nodeRuns[0]?.childExecutionId ?? ""));
    await bellhop.worker.tick();
    expect(await failuresOf(bellhop, report)).toHaveLength(1);
  });
});

describe("a run of a failure workflow", () => {
  test("follows the workflow's concurrency", async () => {
    const pause = { nodes: [{ id: "pause", type: "delay", seconds: 60 }], edges: [] };
    const key = "{{failed.workflow.name}}";
    const report = await failureWorkflow(bellhop, {}, { definition: { ...pause, concurrency: { mode: "skip", key } } });
    const failing = await failingWorkflow(bellhop);
    for (let count = 0; count < 3; count += 1) await reportedEnd(await run(failing));
    await reportedEnd(await run(await failingWorkflow(bellhop, { name: "Another" })));
    const ends = (await executionsOf(bellhop, report)).map(({ error, status }) => error?.code ?? status);
    expect(ends).toEqual(["running", "skipped_busy", "skipped_busy", "running"]);
  });

  test("waits for the end of a maintenance window of its workflow, and is cancelled when that is deactivated", async () => {
    const held = await failureWorkflow(bellhop);
    const other = await failureWorkflow(bellhop);
    await openWindow(bellhop, { workflowIds: [held], mode: "hold" });
    await reportedEnd(await run(await failingWorkflow(bellhop)));
    const waits = async (id: string) => (await executionsOf(bellhop, id)).map(({ waiting }) => waiting?.code ?? null);
    expect(await waits(held)).toEqual(["maintenance"]);
    expect(await waits(other)).toEqual([null]);
    await verb(bellhop, held, "deactivate");
    const cancelled = async () => (await executionsOf(bellhop, held))[0]?.error?.code === "workflow_deactivated";
    await eventually("the run to be cancelled", cancelled);
    await query(bellhop, "delete from maintenance_windows");
  });

  test("by a person gets the failure from the variable failed", async () => {
    const message = "{{failed.error.message}} in {{failed.workflow.name}}";
    const asks = { nodes: [{ id: "ask", type: "approval", message }], edges: [] };
    const report = await failureWorkflow(bellhop, {}, { definition: asks });
    const failed = { error: { message: "No disk" }, workflow: { name: "Backup" } };
    const id = await started(`/workflows/${report}/execute`, { variables: { failed } });
    expect(JSON.stringify(await call(bellhop, "GET", `/executions/${id}`).then((answer) => answer.json()))).toContain(
      "No disk in Backup",
    );
  });
});

describe("a failure trigger", () => {
  test.each([
    [{ tags: [] }, ["trigger.tags"]],
    [{ tags: [""] }, ["trigger.tags.0"]],
    [{ tags: ["a,b"] }, ["trigger.tags.0"]],
    [{ tags: ["a", "A"] }, ["trigger.tags.1"]],
    [{ tags: "shop" }, ["trigger.tags"]],
    [{ tags: Array.from({ length: 21 }, (_, at) => `t${at}`) }, ["trigger.tags"]],
    [{ workflowIds: ["wf_1"] }, ["trigger.workflowIds"]],
    [{ conditions: { logic: "all", conditions: [] } }, ["trigger.conditions"]],
  ])("with %j is refused with its path", async (more, paths) => {
    const body = { name: "x", trigger: { type: "failure", ...more }, definition: SUCCEEDS };
    expect(await errorPathsOf(await call(bellhop, "POST", "/workflows", body))).toEqual(paths);
  });

  test("keeps its tags in lower case, in an export and its import", async () => {
    const id = await failureWorkflow(bellhop, { tags: ["Shop"] });
    const read = readYaml(await (await call(bellhop, "GET", `/workflows/${id}/export`)).text());
    const file = Object(read.ok ? read.value : read.errors);
    expect(file).toMatchObject({ trigger: { type: "failure", tags: ["shop"] } });
    const imported = await call(bellhop, "POST", "/workflows/import", { ...file, name: "Imported" });
    expect(imported.status).toBe(201);
    expect(await imported.json()).toMatchObject({ data: { trigger: { type: "failure", tags: ["shop"] } } });
  });

  test("of a dry run has default data, and compares its tags", async () => {
    const tried = async (more: object) => {
      const body = { name: "x", definition: SUCCEEDS, ...more };
      return (await dataOf(await call(bellhop, "POST", "/workflows/validate", body), 200, validateAnswerSchema))
        .trigger;
    };
    const trigger = { type: "failure", tags: ["shop"] };
    expect(await tried({ trigger, sample: {} })).toMatchObject({
      starts: true,
      data: { failed: { status: "failed", workflow: { tags: ["shop"] }, node: { id: "restart" } } },
    });
    const failed = { workflow: { name: "Backup", tags: ["eu"] } };
    expect(await tried({ trigger, sample: { failed } })).toMatchObject({
      starts: false,
      data: { failed: { workflow: failed.workflow, status: "failed" } },
    });
    expect(await tried({ trigger: { type: "failure" }, sample: { failed } })).toMatchObject({ starts: true });
  });

  test.each([
    [{ incident: {} }, ["sample.incident"]],
    [{ failed: "x" }, ["sample.failed"]],
    [{ variables: {} }, ["sample.variables"]],
  ])("of a dry run refuses the sample %j with its path", async (sample, paths) => {
    const body = { name: "x", trigger: { type: "failure" }, definition: SUCCEEDS, sample };
    expect(await errorPathsOf(await call(bellhop, "POST", "/workflows/validate", body))).toEqual(paths);
  });

  test("has no webhook key", async () => {
    const id = await failureWorkflow(bellhop);
    const answer = await call(bellhop, "POST", `/workflows/${id}/webhook-key`);
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain("starts from failed runs");
  });
});

/** The first execution of a workflow. */
function startedBy(workflowId: string): Promise<ExecutionSummary> {
  return eventually("the workflow to be started", async () => (await executionsOf(bellhop, workflowId))[0]);
}
