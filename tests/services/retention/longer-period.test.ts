import "../../support/quiet-log.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { setRetention } from "../../../worker/services/retention/change.ts";
import { deleteOldRecords } from "../../../worker/services/retention/delete-old.ts";
import { readRetention } from "../../../worker/services/retention/read.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { DAY_MS, write } from "../../support/old-records.ts";
import { ADMINISTRATOR, testDeps } from "../../support/test-deps.ts";

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

test("a longer period stops the deletion also while a pass runs", async () => {
  const rows = 10_000;
  const times = Array.from({ length: rows }, () => ago(40));
  const sql = `insert into missed_runs (workflow_id, first_due_at, last_due_at, count, recorded_at)
    select 'wf_1', key, key, 1, value from json_each(?)`;
  await write(service, [{ sql, args: [JSON.stringify(times)] }]);
  const left = async () => Number((await all("select count(*) from missed_runs"))[0]);
  const running = pass();
  await eventually("the first portions", async () => (await left()) < rows);
  const longer = { ...(await readRetention(deps())).periods, missedRunDays: 400 };
  await setRetention(deps(), ADMINISTRATOR, longer);
  await running;
  expect(await left()).toBeGreaterThan(0);
});
