import "../../support/quiet-log.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { deleteOldRecords } from "../../../worker/services/retention/delete-old.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { call, createWorkflow } from "../../support/management-api.ts";
import { testDeps } from "../../support/test-deps.ts";

/** Which executions a final deletion takes, and when. */
let service: Service;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

/** A day after everything here. */
const finish = () => deleteOldRecords(testDeps(service.libsql.url), Date.now() + 25 * 60 * 60_000);
const isThere = async (executionId: string) =>
  (await query(service, "select 1 from executions where id = ?", [executionId])).length === 1;

/** A deleted workflow with one execution; returns the execution's id. */
async function deletedWith(status: "running" | "succeeded", parentNodeRunId: string | null = null): Promise<string> {
  const { id } = await createWorkflow(service);
  const executionId = `exe_of-${id}`;
  await query(
    service,
    `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at, finished_at,
      parent_execution_id, parent_node_run_id) values (?, ?, 'ver_1', ?, '{"type":"manual"}', 'key', 1, 1, ?, ?, ?)`,
    [
      executionId,
      id,
      status,
      status === "running" ? null : Date.now(),
      parentNodeRunId && "exe_parent",
      parentNodeRunId,
    ],
  );
  expect((await call(service, "DELETE", `/workflows/${id}`)).status).toBe(200);
  return executionId;
}

test("an ended sub-workflow stays until its parent knows, so that the parent does not start it again", async () => {
  await query(
    service,
    "insert into node_runs (id, execution_id, node_id, status) values ('nr_parent', 'exe_parent', 'sub', 'running')",
  );
  const child = await deletedWith("succeeded", "nr_parent");
  await finish();
  expect(await isThere(child)).toBe(true);
  await query(service, "update node_runs set status = 'succeeded' where id = 'nr_parent'");
  await finish();
  expect(await isThere(child)).toBe(false);
});

test("deletions that wait for running executions delay no later one", async () => {
  const running: string[] = [];
  for (let made = 0; made < 20; made += 1) running.push(await deletedWith("running"));
  const ended = await deletedWith("succeeded");
  const { id: neverRan } = await createWorkflow(service);
  expect((await call(service, "DELETE", `/workflows/${neverRan}`)).status).toBe(200);
  await finish();
  expect(await isThere(ended)).toBe(false);
  expect(await query(service, "select 1 from deleted_workflows where id = ?", [neverRan])).toEqual([]);
  expect(await Promise.all(running.map(isThere))).not.toContain(false);
});
