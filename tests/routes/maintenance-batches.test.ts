import { afterAll, beforeAll, expect, test } from "bun:test";
import { incidentSchema } from "../../schema/contract/incident.ts";
import { begunSuppressedSchema } from "../../schema/contract/maintenance.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { WINDOWS, openWindow } from "../support/maintenance.ts";
import { acceptedId, createWebhookWorkflow, ended } from "../support/management.ts";
import { call, createWorkflow, dataOf, verb } from "../support/management-api.ts";
import { SUCCEEDS } from "../support/schedules.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

test("a window holds a run that further incident events have joined, with all of them", async () => {
  const trigger = { type: "incident", events: ["incident.created"], coalesce: { windowSeconds: 2 } };
  const { id: workflowId } = await createWorkflow(bellhop, { trigger, definition: SUCCEEDS });
  await verb(bellhop, workflowId, "publish");
  await verb(bellhop, workflowId, "activate");
  const window = await openWindow(bellhop, { workflowIds: [workflowId] });
  for (const title of ["one", "two"]) {
    await dataOf(await call(bellhop, "POST", "/incidents", { title }), 201, incidentSchema);
  }
  const run = await eventually("the run to be held", async () => {
    const [found] = await query(
      bellhop,
      `select id, json_array_length(trigger, '$.incident.batch') events from executions
       where workflow_id = ? and hold ->> '$.code' = 'maintenance'`,
      [workflowId],
    );
    return found;
  });
  expect(run["events"]).toBe(2);
  await call(bellhop, "DELETE", `${WINDOWS}/${window.id}`);
  expect((await ended(bellhop, String(run["id"]))).status).toBe("succeeded");
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
