import "../../support/quiet-log.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { deleteOldRecords } from "../../../worker/services/retention/delete-old.ts";
import { deletePartsOfRemoved, firstTrees } from "../../../worker/store/removed-executions.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { createWorkflow } from "../../support/management-api.ts";
import { DAY_MS, PARTS, oldExecution, write } from "../../support/old-records.ts";
import { exportSettings, manifestOf } from "../../support/record-export.ts";
import { startS3 } from "../../support/s3-server.ts";
import { testDeps } from "../../support/test-deps.ts";

const NOW = Date.now();
const MB = 1_000_000;
const TABLES = ["executions", ...PARTS, "stale_results", "removed_executions", "retention_exports"];
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
    TABLES.map((table) => `delete from ${table}`),
  ),
);

const count = async (table: string) => Number((await query(service, `select count(*) as n from ${table}`))[0]?.["n"]);
/** Due executions, each with outputs of this size together: sqld refuses a larger text. */
async function large(ids: readonly string[], bytes: number): Promise<void> {
  const parts = Math.ceil(bytes / (2 * MB));
  for (const id of ids) {
    await write(service, [
      ...oldExecution({ id, workflowId, finishedAt: NOW - 200 * DAY_MS }),
      ...Array.from({ length: parts }, (_, part) => ({
        sql: "insert into node_run_outputs (node_run_id, execution_id, output) values (?, ?, json_quote(hex(zeroblob(?))))",
        args: [`${id}-${part}`, id, Math.floor(bytes / parts / 2)],
      })),
    ]);
  }
}

test("a portion has as many trees as fit, and one at least", async () => {
  const { db } = testDeps(service.libsql.url);
  const ids = ["exe_a", "exe_b", "exe_c"];
  await large(ids, MB);
  await write(service, oldExecution({ id: "exe_child", workflowId, finishedAt: 1, parent: "exe_a" }));
  const first = (executions: number, bytes: number) => firstTrees(db, ids, { executions, bytes });
  expect(await first(4, 4 * MB)).toEqual(ids);
  expect(await first(3, 4 * MB)).toEqual(["exe_a", "exe_b"]);
  expect(await first(2, 4 * MB)).toEqual(["exe_a"]);
  expect(await first(4, 2.5 * MB)).toEqual(["exe_a", "exe_b"]);
  expect(await first(1, 1)).toEqual(["exe_a"]);
  expect(await firstTrees(db, [], { executions: 1, bytes: 1 })).toEqual([]);
  const many = Array.from({ length: 40 }, (_, index) => `exe_many-${index}`);
  await large(many, 1_000);
  expect(await firstTrees(db, many, { executions: 100, bytes: MB })).toEqual(many);
  expect(await firstTrees(db, many, { executions: 33, bytes: MB })).toEqual(many.slice(0, 33));
  // Those that are gone by now have no size.
  expect(await firstTrees(db, ["exe_gone", ...many], { executions: 7, bytes: MB })).toHaveLength(8);
});

test.each(["node_run_outputs", "jobs"])("large rows of %s go a few at a time", async (table) => {
  const { db } = testDeps(service.libsql.url);
  const ids = Array.from({ length: 10 }, (_, index) => `exe_${index}`);
  await write(
    service,
    ids.flatMap((id) => oldExecution({ id, workflowId, finishedAt: 1 })),
  );
  await write(service, [
    `update ${table} set output = json_quote(hex(zeroblob(${MB / 2})))`,
    "insert into removed_executions select id, 0 from executions",
    "delete from executions",
  ]);
  const remove = () => deletePartsOfRemoved(db, { executions: 100, rows: 500, bytes: 3 * MB });
  const left: number[] = [];
  while ((await remove()) > 0) left.push(await count(table));
  expect(left.slice(0, 4)).toEqual([7, 4, 1, 0]);
  for (const part of PARTS) expect(await count(part)).toBe(part === "execution_events" ? 1 : 0);
});

test("an export begins with as many executions as a portion may have bytes, and one that cannot be read holds up no other", async () => {
  const s3 = startS3();
  try {
    const pass = (at: number) =>
      deleteOldRecords(testDeps(service.libsql.url, { now: () => at, settings: exportSettings(s3) }), at);
    await large(["exe_a", "exe_b", "exe_c"], 6 * MB);
    s3.fault = () => ({ status: 500, code: "InternalError" });
    await pass(NOW);
    const [row] = await query(service, "select portion from retention_exports where kind = 'executions'");
    expect(JSON.parse(String(row?.["portion"]))).toHaveLength(1);
    s3.fault = null;
    await write(service, [
      "update retention_exports set portion = null",
      "update jobs set output = '{' where id = 'job-exe_a'",
    ]);
    for (let minute = 1; minute <= 6; minute += 1) await pass(NOW + minute * 60_000);
    expect(await query(service, "select id from executions")).toEqual([{ id: "exe_a" }]);
    expect(
      manifestOf(s3.objects, "executions", "bellhop/")
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["exe_b", "exe_c"]);
  } finally {
    await s3.stop();
  }
});
