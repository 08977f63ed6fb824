import "../../support/quiet-log.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { RETENTION_EXPORT_RETRY_MIN_MS } from "../../../schema/limits.ts";
import { deleteOldRecords } from "../../../worker/services/retention/delete-old.ts";
import { deleteExported } from "../../../worker/services/retention/export-first.ts";
import { readRetention } from "../../../worker/services/retention/read.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { ExportDirectory } from "../../support/export-directory.ts";
import { createWorkflow } from "../../support/management-api.ts";
import { DAY_MS, PARTS, oldExecution, write } from "../../support/old-records.ts";
import { manifestOf, oldEntriesOf } from "../../support/record-export.ts";
import { testDeps } from "../../support/test-deps.ts";

const NOW = Date.now();
const MINUTE_MS = 60_000;
const TABLES = ["executions", ...PARTS, "stale_results", "removed_executions", "retention_kinds", "retention_progress"];
const UNREACHABLE =
  "The process that writes to the export directory cannot be reached. Start it: systemctl start bellhop-exports.";
let service: Service;
let exports: ExportDirectory;
let workflowId: string;
beforeAll(async () => {
  service = await startApp();
  workflowId = (await createWorkflow(service, { name: "Restart checkout" })).id;
});
afterAll(() => service.stop());
beforeEach(async () => {
  exports = await ExportDirectory.make();
  await exports.start();
  // It logs each refusal.
  spyOn(console, "error").mockImplementation(() => {});
  await write(
    service,
    [...TABLES, "audit_log", "retention_exports", "retention_settings"].map((table) => `delete from ${table}`),
  );
});
afterEach(async () => {
  spyOn(console, "error").mockRestore();
  await exports.remove();
});

const deps = (at = NOW, settings: Record<string, string> = {}, binding = true) =>
  testDeps(service.libsql.url, {
    now: () => at,
    settings: { RETENTION_EXPORT_DIRECTORY: exports.directory, ...settings },
    exportDirectory: binding ? exports.binding : undefined,
  });
const pass = (at = NOW) => deleteOldRecords(deps(at), at);
const manifest = async (kind: "executions" | "audit") => manifestOf(await exports.files(), kind).map(({ id }) => id);
const ids = async (table: string) =>
  (await query(service, `select id from ${table} order by id`)).map(({ id }) => String(id));
const failureOf = async (kind: string) =>
  (await readRetention(deps())).exports?.find((one) => one.kind === kind)?.failure;
const old = (id: string) => write(service, oldExecution({ id, workflowId, finishedAt: NOW - 200 * DAY_MS }));

test("records and their manifest are in the directory before they are deleted", async () => {
  await old("exe_a");
  await write(service, oldEntriesOf(workflowId, 1_005, NOW));
  const entries = await ids("audit_log");
  await pass();
  expect(await manifest("executions")).toEqual(["exe_a"]);
  expect(await manifest("audit")).toEqual(entries);
  expect(await ids("executions")).toEqual([]);
  expect(await query(service, "select verb from audit_log")).toMatchObject([{ verb: "delete-old-records" }]);
  expect((await readRetention(deps())).exports).toMatchObject([
    { rows: 1, failure: null },
    { rows: entries.length, failure: null },
  ]);
  expect(await readdir(join(exports.directory, ".partial"))).toEqual([]);
});

test("while the process that writes is away nothing is deleted, and deletion goes on when it is back", async () => {
  await old("exe_a");
  await exports.stop();
  await pass();
  expect(await ids("executions")).toEqual(["exe_a"]);
  expect(await failureOf("executions")).toEqual({
    since: new Date(NOW).toISOString(),
    error: UNREACHABLE,
    retryAt: new Date(NOW + RETENTION_EXPORT_RETRY_MIN_MS).toISOString(),
  });
  await exports.start();
  await pass(NOW + MINUTE_MS);
  expect(await manifest("executions")).toEqual(["exe_a"]);
  expect(await ids("executions")).toEqual([]);
  expect(await failureOf("executions")).toBeNull();
});

test("the reason of the process that writes is the reason of the failure", async () => {
  await old("exe_a");
  await chmod(exports.directory, 0o777);
  await pass();
  expect(await ids("executions")).toEqual(["exe_a"]);
  expect((await failureOf("executions"))?.error).toBe(
    "The export directory must be a directory that belongs to the user of Bellhop, and that no other user can write to.",
  );
});

test("a record that is too large for the process is a failure, too", async () => {
  await old("exe_a");
  await exports.stop();
  await exports.start(10);
  await pass();
  expect(await ids("executions")).toEqual(["exe_a"]);
  expect((await failureOf("executions"))?.error).toBe("The process that writes to the export directory answered 413.");
});

describe("an interrupted export", () => {
  test("between the files and the deletion writes the same files again, although more is due", async () => {
    for (const id of ["exe_b", "exe_c"]) await old(id);
    const choose = () => Promise.resolve(["exe_c", "exe_b"]);
    const remove = () => Promise.reject(new Error("the service stopped"));
    await deleteExported(deps(), "executions", { choose, remove });
    const before = await exports.files();
    expect(before.size).toBe(2);
    for (const id of ["exe_a", "exe_d"]) await old(id);
    await pass(NOW + MINUTE_MS);
    const after = await exports.files();
    for (const [key, text] of before) expect(after.get(key)).toBe(text);
    expect((await manifest("executions")).sort()).toEqual(["exe_a", "exe_b", "exe_c", "exe_d"]);
    expect(await ids("executions")).toEqual([]);
  });

  test("of a second pass at the same time neither fails nor loses a record", async () => {
    for (let index = 0; index < 120; index += 1) await old(`exe_${String(index).padStart(3, "0")}`);
    await Promise.all([pass(), pass(), pass()]);
    await pass();
    expect(await manifest("executions")).toHaveLength(120);
    expect(await ids("executions")).toEqual([]);
    expect((await readRetention(deps())).exports).toMatchObject([{ rows: 120, failure: null }, {}]);
  });
});

describe("with wrong settings,", () => {
  const BUCKET = "RETENTION_EXPORT_URL";
  test.each([
    [
      { RETENTION_EXPORT_DIRECTORY: "exports" },
      true,
      "RETENTION_EXPORT_DIRECTORY must be an absolute path, such as /var/lib/bellhop/exports.",
    ],
    [
      { RETENTION_EXPORT_DIRECTORY: "/" },
      true,
      "RETENTION_EXPORT_DIRECTORY must be an absolute path, such as /var/lib/bellhop/exports.",
    ],
    [
      { [BUCKET]: "https://s3.example.com/bucket" },
      true,
      "RETENTION_EXPORT_DIRECTORY and RETENTION_EXPORT_URL are both set. Unset one of them.",
    ],
    [
      { RETENTION_EXPORT_SECRET_ACCESS_KEY: "s3cret" },
      true,
      "RETENTION_EXPORT_DIRECTORY and RETENTION_EXPORT_SECRET_ACCESS_KEY are both set. Unset one of them.",
    ],
    [{}, false, "RETENTION_EXPORT_DIRECTORY is only for a service on one machine. Set RETENTION_EXPORT_URL instead."],
  ])("%j and a process that writes: %p, the service says so, and deletes nothing", async (wrong, binding, problem) => {
    await old("exe_a");
    const chosen = deps(NOW, wrong, binding);
    expect(chosen.settings.problems).toEqual([problem]);
    await deleteOldRecords(chosen, NOW);
    expect(await ids("executions")).toEqual(["exe_a"]);
    expect((await failureOf("executions"))?.error).toBe(`The settings are wrong. ${problem}`);
    expect(await exports.files()).toEqual(new Map());
  });
});
