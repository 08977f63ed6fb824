import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { incidentSchema } from "../../schema/contract/incident.ts";
import { begunSuppressedSchema } from "../../schema/contract/maintenance.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { endWindows, titlesIn } from "../support/coalescing.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { matched } from "../support/incidents.ts";
import { WINDOWS, openWindow, suppressedBy, windowFields } from "../support/maintenance.ts";
import { acceptedId, createWebhookWorkflow, ended, getExecution } from "../support/management.ts";
import { call, createWorkflow, dataOf, verb } from "../support/management-api.ts";
import { SUCCEEDS } from "../support/schedules.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());
afterEach(async () => {
  await query(bellhop, "delete from maintenance_windows");
});

async function coalescing(coalesce: object = { windowSeconds: 3_600 }): Promise<string> {
  const trigger = { type: "incident", events: ["incident.created"], coalesce };
  const { id } = await createWorkflow(bellhop, { trigger, definition: SUCCEEDS });
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  return id;
}

async function fire(...incidents: { title: string; service?: string }[]): Promise<void> {
  for (const incident of incidents) {
    await dataOf(await call(bellhop, "POST", "/incidents", incident), 201, incidentSchema);
    await matched(bellhop);
  }
}

/** The executions of a workflow in their order: the titles of their events, and what became of them. */
async function runsOf(workflowId: string) {
  const rows = await query(
    bellhop,
    `select id, status, error ->> '$.code' code, hold ->> '$.code' waits, suppressed ->> '$.as' suppressed
     from executions where workflow_id = ? order by id`,
    [workflowId],
  );
  return Promise.all(
    rows.map(async ({ id, status, code, waits, suppressed }) => {
      const { trigger } = await getExecution(bellhop, String(id));
      return { status, code, waits, suppressed, titles: titlesIn(trigger) };
    }),
  );
}

test("a window holds a run that further events have joined, with all of them, by the service of any of them", async () => {
  const workflowId = await coalescing();
  await fire({ title: "one", service: "a" });
  const window = await openWindow(bellhop, { services: ["B"] });
  await fire({ title: "two", service: "b" });
  await endWindows(bellhop);
  const held = { status: "running", code: null, waits: "maintenance", suppressed: "held", titles: ["one", "two"] };
  await eventually("the run to be held", async () => (await runsOf(workflowId))[0]?.waits === "maintenance");
  expect(await runsOf(workflowId)).toEqual([held]);
  await call(bellhop, "DELETE", `${WINDOWS}/${window.id}`);
  await eventually("the run to end", async () => (await runsOf(workflowId))[0]?.status === "succeeded");
});

test("an event within a window that skips joins no run, and those before and after it do", async () => {
  const workflowId = await coalescing();
  await fire({ title: "before" });
  const window = await openWindow(bellhop, { workflowIds: [workflowId], mode: "skip" });
  await fire({ title: "expected" });
  const skipped = { status: "cancelled", code: "skipped_maintenance", waits: null, suppressed: "skipped", titles: [] };
  expect((await runsOf(workflowId))[1]).toEqual(skipped);
  expect(await suppressedBy(bellhop, window)).toHaveLength(1);
  await endWindows(bellhop);
  await eventually("the run to end", async () => (await runsOf(workflowId))[0]?.status === "succeeded");
  await call(bellhop, "DELETE", `${WINDOWS}/${window.id}`);
  await bellhop.restartWorker();
  await fire({ title: "after" });
  await endWindows(bellhop);
  await eventually("the other run to end", async () => (await runsOf(workflowId))[2]?.status === "succeeded");
  expect((await runsOf(workflowId)).map(({ titles }) => titles)).toEqual([["before"], [], ["after"]]);
});

test("the events within a window that asks join a run that waits for a person, also when the window has ended", async () => {
  const workflowId = await coalescing({ windowSeconds: 3_600, key: "{{incident.service}}" });
  await fire({ title: "before", service: "a" });
  const window = await openWindow(bellhop, { workflowIds: [workflowId], mode: "ask" });
  await fire({ title: "one", service: "a" }, { title: "two", service: "a" });
  const [, asked] = await query(bellhop, "select id from executions where workflow_id = ? order by id", [workflowId]);
  const id = String(asked?.["id"]);
  expect((await getExecution(bellhop, id)).waiting?.detail).toMatch(/^further events with the key "a", until /u);
  await call(
    bellhop,
    "PUT",
    `${WINDOWS}/${window.id}`,
    windowFields({ workflowIds: [workflowId], mode: "ask", endsAt: new Date().toISOString() }),
  );
  await bellhop.restartWorker();
  await fire({ title: "after", service: "a" });
  await endWindows(bellhop);
  await eventually("the other run to end", async () => (await runsOf(workflowId))[0]?.status === "succeeded");
  expect(await runsOf(workflowId)).toMatchObject([
    { titles: ["before", "after"] },
    { status: "running", waits: "maintenance", suppressed: "asked", titles: ["one", "two"] },
  ]);
  await call(bellhop, "POST", `/executions/${id}/begin`);
  expect((await ended(bellhop, id)).status).toBe("succeeded");
});

test("a call that runs what a window held names each run that ended at once", async () => {
  const nodes = [{ id: "wait", type: "delay", seconds: 3_600 }];
  const webhook = await createWebhookWorkflow(bellhop, { nodes, edges: [], concurrency: { mode: "skip" } });
  const window = await openWindow(bellhop, { workflowIds: [webhook.workflowId] });
  for (const at of ["1", "2"]) {
    const id = await acceptedId(await webhook.ring({ variables: { at } }));
    await eventually("the run to be held", async () => (await call(bellhop, "GET", `/executions/${id}`)).ok);
  }
  const answer = await call(bellhop, "POST", `${WINDOWS}/${window.id}/begin`, {});
  expect(await dataOf(answer, 200, begunSuppressedSchema)).toMatchObject({
    begun: 1,
    failed: [{ detail: "It ended as cancelled without having begun. Its page says why." }],
  });
});
