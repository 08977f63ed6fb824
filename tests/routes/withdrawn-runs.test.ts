import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { incidentSchema } from "../../schema/contract/incident.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { failingWorkflow, failureWorkflow } from "../support/failure-workflows.ts";
import { executionsOf } from "../support/incidents.ts";
import { WINDOWS, openWindow } from "../support/maintenance.ts";
import { acceptedId, createWebhookWorkflow, ended, getExecution } from "../support/management.ts";
import { DELAY_DEFINITION, call, createWorkflow, dataOf, verb } from "../support/management-api.ts";
import { SUCCEEDS } from "../support/schedules.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const QUEUES = { ...DELAY_DEFINITION, concurrency: { mode: "queue" } };

async function ringing(definition: object) {
  const webhook = await createWebhookWorkflow(bellhop, definition);
  const ring = async () => {
    const id = await acceptedId(await webhook.ring({ variables: { at: crypto.randomUUID() } }));
    await eventually("the execution to be stored", async () => (await call(bellhop, "GET", `/executions/${id}`)).ok);
    return id;
  };
  return { id: webhook.workflowId, ring };
}
async function runNow(id: string) {
  const answer = await call(bellhop, "POST", `/workflows/${id}/execute`, { variables: {} });
  return (await dataOf(answer, 201, triggerAnswerSchema)).executionId;
}
const statusOf = async (id: string) => (await getExecution(bellhop, id)).status;
const begun = (id: string) =>
  eventually(`${id} to begin`, async () => (await getExecution(bellhop, id)).waiting === undefined);
const setActive = (id: string, active: boolean) =>
  query(bellhop, "update workflows set active = ? where id = ?", [active ? 1 : 0, id]);

async function endedAs(id: string, code: string) {
  const execution = await ended(bellhop, id);
  expect(execution).toMatchObject({ status: "cancelled", error: { code } });
  expect(new Set(execution.nodeRuns.map(({ status }) => status))).toEqual(new Set(["skipped"]));
  return execution;
}

describe("a workflow that is deactivated", () => {
  test("cancels the runs of events that wait for their turn, and no other", async () => {
    const { id, ring } = await ringing(QUEUES);
    const [running, queued] = [await ring(), await ring()];
    const byHand = await runNow(id);
    await verb(bellhop, id, "deactivate");
    const { error } = await endedAs(queued, "workflow_deactivated");
    expect(error?.message).toBe("The workflow was deactivated before this run began. To run it, retry this run.");
    expect([await statusOf(running), await statusOf(byHand)]).toEqual(["running", "running"]);
    await call(bellhop, "POST", `/executions/${running}/cancel`);
    await begun(byHand);
  });

  test.each(["hold", "ask"])("cancels the runs that a window with the mode %s keeps", async (mode) => {
    const { id, ring } = await ringing(SUCCEEDS);
    await openWindow(bellhop, { workflowIds: [id], mode });
    const held = await ring();
    await verb(bellhop, id, "deactivate");
    await endedAs(held, "workflow_deactivated");
  });

  test("cancels a run that collects events, which a retry runs with all of them", async () => {
    const trigger = { type: "incident", events: ["incident.created"], coalesce: { windowSeconds: 3_600 } };
    const { id } = await createWorkflow(bellhop, { trigger, definition: SUCCEEDS });
    await verb(bellhop, id, "publish");
    await verb(bellhop, id, "activate");
    for (const title of ["one", "two"])
      await dataOf(await call(bellhop, "POST", "/incidents", { title }), 201, incidentSchema);
    const run = await eventually("both events to join", async () => {
      const [row] = await query(
        bellhop,
        "select execution_id id, count(*) events from batched_events where workflow_id = ? group by execution_id",
        [id],
      );
      return row?.["events"] === 2 && String(row["id"]);
    });
    await verb(bellhop, id, "deactivate");
    const { trigger: kept } = await endedAs(run, "workflow_deactivated");
    expect(kept).toMatchObject({ incident: { batch: [{ title: "one" }, { title: "two" }] } });
  });

  test("lets none of them begin before the service has looked", async () => {
    const { id, ring } = await ringing(QUEUES);
    const [running, queued, third] = [await ring(), await ring(), await ring()];
    await setActive(id, false);
    await call(bellhop, "POST", `/executions/${running}/cancel`);
    for (const one of [queued, third]) await endedAs(one, "workflow_deactivated");

    const held = await ringing(SUCCEEDS);
    const window = await openWindow(bellhop, { workflowIds: [held.id] });
    const [kept, runByPerson] = [await held.ring(), await held.ring()];
    await setActive(held.id, false);
    await call(bellhop, "POST", `/executions/${runByPerson}/begin`);
    expect((await ended(bellhop, runByPerson)).status).toBe("succeeded");
    await call(bellhop, "DELETE", `${WINDOWS}/${window.id}`);
    await endedAs(kept, "workflow_deactivated");
  });

  test("also by its failures: the tick ends what waits", async () => {
    const { id, ring } = await ringing(QUEUES);
    const [running, queued] = [await ring(), await ring()];
    await bellhop.worker.tick();
    expect(await statusOf(queued)).toBe("running");
    await setActive(id, false);
    await bellhop.worker.tick();
    await endedAs(queued, "workflow_deactivated");
    expect(await statusOf(running)).toBe("running");
  });
});

test("a failure workflow that is deactivated cancels its runs that wait for their turn", async () => {
  const report = await failureWorkflow(bellhop, {}, { definition: QUEUES });
  const failing = await failingWorkflow(bellhop);
  for (const count of [1, 2]) {
    await runNow(failing);
    await eventually("the failure to start a run", async () => (await executionsOf(bellhop, report)).length === count);
  }
  const [running, queued] = await executionsOf(bellhop, report);
  await verb(bellhop, report, "deactivate");
  await endedAs(queued?.id ?? "", "workflow_deactivated");
  expect(await statusOf(running?.id ?? "")).toBe("running");
});

test("a workflow that is unpublished cancels also the runs of people that wait for their turn", async () => {
  const { id, ring } = await ringing(QUEUES);
  const running = await ring();
  const byHand = await runNow(id);
  await verb(bellhop, id, "unpublish");
  await endedAs(byHand, "workflow_unpublished");
  expect(await statusOf(running)).toBe("running");
});

test("a workflow that is deleted cancels the runs that have not begun, but no sub-workflow of a run that has", async () => {
  const { id, ring } = await ringing(QUEUES);
  const parent = await createWorkflow(bellhop, {
    trigger: { type: "manual" },
    definition: { nodes: [{ id: "call", type: "workflow", workflowId: id }], edges: [] },
  });
  await verb(bellhop, parent.id, "publish");
  const running = await ring();
  const outer = await runNow(parent.id);
  const child = await eventually("the sub-workflow to wait", async () => {
    const [row] = await query(bellhop, "select id from executions where parent_execution_id = ?", [outer]);
    return row !== undefined && String(row["id"]);
  });
  const [byEvent, byHand] = [await ring(), await runNow(id)];
  expect((await call(bellhop, "DELETE", `/workflows/${id}?force=true`)).status).toBe(200);
  for (const one of [byEvent, byHand]) await endedAs(one, "workflow_deleted");
  expect([await statusOf(running), await statusOf(child)]).toEqual(["running", "running"]);
  await call(bellhop, "POST", `/executions/${running}/cancel`);
  await begun(child);
  expect(await statusOf(outer)).toBe("running");
});
