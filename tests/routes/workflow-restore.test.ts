import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { executionSummarySchema } from "../../schema/contract/execution.ts";
import { workflowSchema, workflowVersionSchema } from "../../schema/contract/management.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { createIncident, executionsOf, incidentWorkflow, matched } from "../support/incidents.ts";
import {
  call,
  createWorkflow,
  dataOf,
  makeWebhookKey,
  pageOf,
  problemOf,
  ring,
  verb,
} from "../support/management-api.ts";
import { createUser, signedIn } from "../support/people.ts";
import { SUCCEEDS, createSchedule, getWorkflow, nextRunOf, scheduledRuns } from "../support/schedules.ts";

const HOUR_MS = 60 * 60_000;

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const remove = async (id: string) => {
  expect((await call(bellhop, "DELETE", `/workflows/${id}`)).status).toBe(200);
};
const restore = (id: string) => call(bellhop, "POST", `/workflows/${id}/restore`);
const restored = async (id: string) => dataOf(await restore(id), 200, workflowSchema);
const isGone = async (id: string) => problemOf(await restore(id), 404, "not_found");
/** Moves the deletion into the past. */
const age = (id: string, byMs: number) =>
  query(bellhop, "update deleted_workflows set deleted_at = deleted_at - ? where id = ?", [byMs, id]);
const auditOf = async (id: string) =>
  (await query(bellhop, "select verb, detail from audit_log where subject_id = ? order by id", [id])).map(
    ({ verb, detail }) => [verb, JSON.parse(String(detail)).name],
  );
const count = async (table: string, id: string, column = "workflow_id") =>
  Number((await query(bellhop, `select count(*) as n from ${table} where ${column} = ?`, [id]))[0]?.["n"]);

async function liveWebhook(definition: object = SUCCEEDS) {
  const { id } = await createWorkflow(bellhop, { name: "restarts", definition });
  const key = await makeWebhookKey(bellhop, id);
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  return { id, key };
}

/** A workflow with one execution that has ended. */
async function workflowThatRan() {
  const webhook = await liveWebhook();
  expect((await ring(bellhop, webhook.key)).status).toBe(200);
  await eventually("the execution to end", async () =>
    (await executionsOf(bellhop, webhook.id)).every(({ status }) => status === "succeeded") &&
    (await count("executions", webhook.id)) === 1
      ? true
      : null,
  );
  return webhook;
}

describe("a deleted workflow", () => {
  test("comes back as it was, with its webhook key and secret; until then everything about it is 404", async () => {
    const { id, key } = await workflowThatRan();
    const before = await getWorkflow(bellhop, id);
    await remove(id);
    for (const [method, path, body] of [
      ["GET", ""],
      ["GET", "/versions"],
      ["GET", "/export"],
      ["GET", "/missed-runs"],
      ["DELETE", ""],
      ["PUT", "", { name: "x", trigger: before.trigger, definition: before.definition }],
      ["POST", "/publish"],
      ["POST", "/unpublish"],
      ["POST", "/activate"],
      ["POST", "/deactivate"],
      ["POST", "/webhook-key"],
      ["POST", "/execute", {}],
    ] as const) {
      const answer = await call(bellhop, method, `/workflows/${id}${path}`, body);
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
    }
    expect((await ring(bellhop, key)).status).toBe(404);
    const listed = await pageOf(await call(bellhop, "GET", "/workflows?limit=200"), workflowSchema);
    expect(listed.items.map((workflow) => workflow.id)).not.toContain(id);

    const after = await restored(id);
    expect({ ...after, revision: 0, updatedAt: "" }).toEqual({ ...before, revision: 0, updatedAt: "" });
    expect(after.revision).toBeGreaterThan(before.revision);
    expect((await ring(bellhop, key)).status).toBe(200);
    const versions = await pageOf(await call(bellhop, "GET", `/workflows/${id}/versions`), workflowVersionSchema);
    expect(versions.items).toHaveLength(1);
  });

  test("keeps its executions readable until the deletion is final", async () => {
    const { id } = await workflowThatRan();
    await remove(id);
    const { items } = await pageOf(await call(bellhop, "GET", `/executions?workflowId=${id}`), executionSummarySchema);
    expect(items).toHaveLength(1);
    expect((await call(bellhop, "GET", `/executions/${items[0]?.id}`)).status).toBe(200);
  });

  test("does not run by its schedule, and after the restoration runs only from then on", async () => {
    const { id } = await createSchedule(bellhop, { expression: "* * * * *" });
    const dueAt = await nextRunOf(bellhop, id);
    await remove(id);
    await bellhop.worker.tick(new Date(dueAt));
    await query(bellhop, "update deleted_workflows set next_run_at = 60000 where id = ?", [id]);
    expect(Date.parse((await restored(id)).nextRunAt ?? "")).toBeGreaterThanOrEqual(dueAt);
    expect(await scheduledRuns(bellhop, id)).toEqual([]);
    await verb(bellhop, id, "deactivate");
  });

  test("is not started by incidents, and is again after the restoration", async () => {
    const workflowId = await incidentWorkflow(bellhop, { events: ["incident.created"] });
    await remove(workflowId);
    await createIncident(bellhop, { service: "shop" });
    await matched(bellhop);
    expect(await executionsOf(bellhop, workflowId)).toEqual([]);
    await restored(workflowId);
    await createIncident(bellhop, { service: "shop" });
    await matched(bellhop);
    expect(await executionsOf(bellhop, workflowId)).toHaveLength(1);
  });

  test("is restored twice without a second effect, also at the same moment, and can be deleted again", async () => {
    const { id, key } = await liveWebhook();
    await remove(id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => restored(id)));
    expect(new Set(answers.map(({ revision }) => revision)).size).toBe(1);
    expect((await ring(bellhop, key)).status).toBe(200);
    await remove(id);
    expect((await ring(bellhop, key)).status).toBe(404);
    await restored(id);
    expect((await ring(bellhop, key)).status).toBe(200);
    expect((await auditOf(id)).slice(-4)).toEqual([
      ["delete", "restarts"],
      ["restore", "restarts"],
      ["delete", "restarts"],
      ["restore", "restarts"],
    ]);
  });

  test("is restored by those who may delete it", async () => {
    const { id } = await createWorkflow(bellhop);
    await remove(id);
    for (const [role, status] of [
      ["viewer", 403],
      ["operator", 403],
      ["editor", 200],
    ] as const) {
      const person = await signedIn(bellhop, await createUser(bellhop, { role }));
      expect((await person.call("POST", `/api/v1/automation/workflows/${id}/restore`)).status).toBe(status);
    }
  });

  test("is unknown after 24 hours, as is a workflow that never was", async () => {
    const { id } = await createWorkflow(bellhop);
    await remove(id);
    await age(id, 24 * HOUR_MS - 60_000);
    await restored(id);
    await remove(id);
    await age(id, 24 * HOUR_MS);
    await isGone(id);
    await isGone("wf_none");
  });
});

describe("a deletion becomes final", () => {
  test("after 24 hours: executions, versions and the workflow are deleted, and nothing of others", async () => {
    const [deleted, other] = [await workflowThatRan(), await workflowThatRan()];
    const [execution] = await executionsOf(bellhop, deleted.id);
    await remove(deleted.id);
    await bellhop.worker.tick(new Date());
    expect(await count("executions", deleted.id)).toBe(1);
    await bellhop.worker.tick(new Date(Date.now() + 25 * HOUR_MS));
    for (const table of ["executions", "workflow_versions", "workflows", "deleted_workflows"]) {
      const column = table.endsWith("workflows") ? "id" : "workflow_id";
      expect({ table, left: await count(table, deleted.id, column) }).toEqual({ table, left: 0 });
      expect({ table, left: (await count(table, other.id, column)) > 0 }).toEqual({
        table,
        left: table !== "deleted_workflows",
      });
    }
    for (const table of ["node_runs", "node_run_outputs", "jobs"]) {
      expect(await count(table, execution?.id ?? "", "execution_id")).toBe(0);
    }
    expect((await call(bellhop, "GET", `/executions/${execution?.id}`)).status).toBe(404);
    await isGone(deleted.id);
    expect((await ring(bellhop, other.key)).status).toBe(200);
  });

  test("the newest event of all stays, because its position is that of event streams", async () => {
    const { id } = await workflowThatRan();
    const [before] = await query(bellhop, "select max(rowid) as newest from execution_events");
    await remove(id);
    await bellhop.worker.tick(new Date(Date.now() + 25 * HOUR_MS));
    expect(await count("executions", id)).toBe(0);
    const [after] = await query(bellhop, "select max(rowid) as newest from execution_events");
    expect(Number(after?.["newest"])).toBeGreaterThanOrEqual(Number(before?.["newest"]));
  });

  test("a running execution and its version stay until it has ended for a day", async () => {
    const { id, key } = await liveWebhook({ nodes: [{ id: "pause", type: "delay", seconds: 3_600 }], edges: [] });
    expect((await ring(bellhop, key)).status).toBe(200);
    const [execution] = await eventually("the execution to start", async () => {
      const found = await executionsOf(bellhop, id);
      return found.length === 1 ? found : null;
    });
    await remove(id);
    await query(bellhop, "update deleted_workflows set final = 1 where id = ?", [id]);
    await bellhop.worker.tick(new Date());
    expect([await count("executions", id), await count("workflow_versions", id)]).toEqual([1, 1]);
    await call(bellhop, "POST", `/executions/${execution?.id}/cancel`);
    await bellhop.worker.tick(new Date());
    expect([await count("executions", id), await count("workflow_versions", id)]).toEqual([1, 1]);
    await bellhop.worker.tick(new Date(Date.now() + 25 * HOUR_MS));
    expect([await count("executions", id), await count("workflow_versions", id)]).toEqual([0, 0]);
    expect(await count("deleted_workflows", id, "id")).toBe(0);
  });

  test("many executions go in one pass, and no restoration comes once it has begun", async () => {
    const { id } = await workflowThatRan();
    await query(
      bellhop,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 450)
        insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at, finished_at)
        select 'exe_old-' || i, workflow_id, version_id, 'succeeded', trigger, 'old-' || i, 1, started_at, finished_at
        from executions, n where workflow_id = ?`,
      [id],
    );
    await remove(id);
    // Final, although its time says that it could be restored.
    await query(bellhop, "update deleted_workflows set final = 1 where id = ?", [id]);
    await isGone(id);
    await bellhop.worker.tick(new Date(Date.now() + 25 * HOUR_MS));
    expect([await count("executions", id), await count("deleted_workflows", id, "id")]).toEqual([0, 0]);
  });

  test("a restoration and the final deletion at the same moment leave a whole workflow or none", async () => {
    for (let time = 0; time < 5; time++) {
      const { id } = await createWorkflow(bellhop);
      await verb(bellhop, id, "publish");
      await remove(id);
      const [answer] = await Promise.all([restore(id), bellhop.worker.tick(new Date(Date.now() + 25 * HOUR_MS))]);
      const isBack = answer.status === 200;
      if (!isBack) expect(answer.status).toBe(404);
      expect(await count("deleted_workflows", id, "id")).toBe(0);
      expect([await count("workflows", id, "id"), await count("workflow_versions", id)]).toEqual(
        isBack ? [1, 1] : [0, 0],
      );
    }
  });
});
