import "../../support/quiet-log.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { requireAncestors } from "../../../worker/services/executions/require-ancestors.ts";
import { deleteOldRecords } from "../../../worker/services/retention/delete-old.ts";
import { removeExecutions } from "../../../worker/store/removed-executions.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { createWorkflow } from "../../support/management-api.ts";
import { DAY_MS, PARTS, oldExecution, write } from "../../support/old-records.ts";
import { testDeps } from "../../support/test-deps.ts";

let service: Service;
let workflowId: string;
beforeAll(async () => {
  service = await startApp();
  workflowId = (await createWorkflow(service)).id;
});
afterAll(() => service.stop());
beforeEach(() =>
  write(
    service,
    ["executions", ...PARTS, "stale_results"].map((table) => `delete from ${table}`),
  ),
);

const NOW = Date.now();
const ago = (days: number) => NOW - days * DAY_MS;
const deps = () => testDeps(service.libsql.url);
const pass = () => deleteOldRecords(deps(), NOW);
const all = async (sql: string) => (await query(service, sql)).map((row) => String(Object.values(row)[0]));

test("an execution stays while one runs that repeats it, its sub-workflow or its retry, also when it was chosen before", async () => {
  const trees = ["a", "b"].flatMap((name) => [
    { id: `exe_${name}`, workflowId, finishedAt: ago(200) },
    { id: `exe_${name}-below`, workflowId, finishedAt: ago(200), parent: `exe_${name}` },
    { id: `exe_${name}-retry`, workflowId, finishedAt: ago(200) },
    { id: `exe_${name}-again`, workflowId, status: "running", finishedAt: null },
  ]);
  await write(service, [
    ...trees.flatMap(oldExecution),
    "update executions set retry_of = 'exe_a-below' where id = 'exe_a-retry'",
    "update executions set retry_of = 'exe_a-retry' where id = 'exe_a-again'",
  ]);
  const kept = ["exe_a", "exe_a-again", "exe_a-below", "exe_a-retry", "exe_b-again"];
  await removeExecutions(deps().db, ["exe_a", "exe_a-retry"], NOW);
  await pass();
  expect(await all("select id from executions order by id")).toEqual(kept);
  await write(service, ["update executions set status = 'succeeded', finished_at = 1"]);
  await pass();
  expect(await all("select id from executions")).toEqual([]);
});

test("a retry of what an event or a person started can be approved and run again without its original, one of a sub-workflow cannot", async () => {
  await write(service, [
    ...["exe_retry", "exe_of-sub-workflow"].flatMap((id) => oldExecution({ id, workflowId, finishedAt: ago(1) })),
    "update executions set retry_of = 'exe_gone'",
    `update executions set trigger = '{"type":"workflow"}' where id = 'exe_of-sub-workflow'`,
  ]);
  await requireAncestors(deps(), "exe_retry");
  const refused = await requireAncestors(deps(), "exe_of-sub-workflow").catch(String);
  expect(refused).toContain("ran as a sub-workflow, and an execution above it was deleted");
});
