import "../../support/quiet-log.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { deleteOldRecords } from "../../../worker/services/retention/delete-old.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { createWorkflow } from "../../support/management-api.ts";
import { DAY_MS, oldExecution, write } from "../../support/old-records.ts";
import { testDeps } from "../../support/test-deps.ts";

let service: Service;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

const NOW = Date.now();
const ago = (days: number) => NOW - days * DAY_MS;
const deps = () => testDeps(service.libsql.url);
const pass = () => deleteOldRecords(deps(), NOW);
const all = async (sql: string) => (await query(service, sql)).map((row) => String(Object.values(row)[0]));

test("an ended maintenance window goes by age, after the executions that it suppressed", async () => {
  const window = (id: string, endsAt: number) => ({
    sql: `insert into maintenance_windows (id, name, starts_at, ends_at, mode, everything, workflow_ids, tags, services, revision, created_at, updated_at)
      values (?, 'w', 1, ?, 'hold', 1, '[]', '[]', '[]', 1, 1, 1)`,
    args: [id, endsAt],
  });
  const windows = () => all("select id from maintenance_windows order by id");
  const { id: workflowId } = await createWorkflow(service);
  await write(service, [
    window("mwn_open", NOW + DAY_MS),
    window("mwn_young", ago(89)),
    window("mwn_named", ago(91)),
    window("mwn_old", ago(91)),
    ...oldExecution({ id: "exe_suppressed", workflowId, status: "failed", finishedAt: ago(91) }),
    `update executions set suppressed = '{"windowId":"mwn_named","as":"held"}' where id = 'exe_suppressed'`,
  ]);
  await pass();
  expect(await windows()).toEqual(["mwn_named", "mwn_open", "mwn_young"]);
  await write(service, ["update executions set finished_at = 1 where id = 'exe_suppressed'"]);
  await pass();
  await pass();
  expect(await windows()).toEqual(["mwn_open", "mwn_young"]);
});
