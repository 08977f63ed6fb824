import "../../support/quiet-log.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { deleteExported } from "../../../worker/services/retention/export-first.ts";
import { deleteOldRecords } from "../../../worker/services/retention/delete-old.ts";
import { readRetention } from "../../../worker/services/retention/read.ts";
import { removeExecutions } from "../../../worker/store/removed-executions.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { call, createWorkflow } from "../../support/management-api.ts";
import { DAY_MS, PARTS, oldExecution, write } from "../../support/old-records.ts";
import { exportSettings, manifestOf, oldEntriesOf } from "../../support/record-export.ts";
import { S3_KEY, startS3 } from "../../support/s3-server.ts";
import type { S3Server } from "../../support/s3-server.ts";
import { testDeps } from "../../support/test-deps.ts";

const NOW = Date.now();
const MINUTE_MS = 60_000;
const OLD_AT = NOW - 200 * DAY_MS;
const TABLES = ["executions", ...PARTS, "stale_results", "removed_executions", "retention_kinds", "retention_progress"];
let service: Service;
let s3: S3Server;
let workflowId: string;
beforeAll(async () => {
  service = await startApp();
  workflowId = (await createWorkflow(service, { name: "Restart checkout" })).id;
});
afterAll(() => service.stop());
beforeEach(async () => {
  await s3?.stop();
  s3 = startS3();
  await write(
    service,
    [...TABLES, "audit_log", "retention_exports", "retention_settings"].map((table) => `delete from ${table}`),
  );
});
afterAll(() => s3.stop());

const settings = (url?: string) => exportSettings(s3, url);
const manifest = (kind: "executions" | "audit") => manifestOf(s3.objects, kind, "bellhop/");
const deps = (at = NOW, chosen = settings()) => testDeps(service.libsql.url, { now: () => at, settings: chosen });
/** The clock of a pass may be ahead, but the storage refuses a signature of the future. */
const pass = (at = NOW, chosen = settings()) => deleteOldRecords(deps(at, chosen), at);
const ids = async (table: string) =>
  (await query(service, `select id from ${table} order by id`)).map(({ id }) => String(id));
const failureOf = async (kind: string, at = NOW) =>
  (await readRetention(deps(at))).exports?.find((one) => one.kind === kind)?.failure;

const old = (id: string, more: Partial<Parameters<typeof oldExecution>[0]> = {}) =>
  write(service, oldExecution({ id, workflowId, finishedAt: OLD_AT, ...more }));
const oldEntries = (count: number) => write(service, oldEntriesOf(workflowId, count, NOW));

describe("with wrong settings,", () => {
  test.each([
    [{ RETENTION_EXPORT_ACCESS_KEY_ID: "" }, /^RETENTION_EXPORT_ACCESS_KEY_ID is not set\. Set it to /u],
    [{ RETENTION_EXPORT_SECRET_ACCESS_KEY: "" }, /^RETENTION_EXPORT_SECRET_ACCESS_KEY is not set\. Set it to /u],
    [{ RETENTION_EXPORT_URL: "" }, /^RETENTION_EXPORT_URL is not set\. Set it to /u],
    [
      { RETENTION_EXPORT_URL: "https://s3.example.com" },
      /^RETENTION_EXPORT_URL must be an https address with a bucket/u,
    ],
    [{ RETENTION_EXPORT_URL: "http://s3.example.com/b" }, /^RETENTION_EXPORT_URL must be an https address/u],
    [{ RETENTION_EXPORT_URL: "https://k:s@s3.example.com/b" }, /^RETENTION_EXPORT_URL must be an https address/u],
    [{ RETENTION_EXPORT_URL: "https://s3.example.com/b?x=1" }, /^RETENTION_EXPORT_URL must be an https address/u],
    [{ RETENTION_EXPORT_URL: "https://s3.example.com/a b" }, /^RETENTION_EXPORT_URL must be an https address/u],
    [{ RETENTION_EXPORT_REGION: "Frankfurt am Main" }, /^RETENTION_EXPORT_REGION must be a region/u],
  ])("%j, the service says so, and deletes nothing of what it was to export", async (wrong, problem) => {
    await old("exe_a");
    const chosen = { ...settings(), ...wrong };
    expect(deps(NOW, chosen).settings.problems).toEqual([expect.stringMatching(problem)]);
    await pass(NOW, chosen);
    expect(await ids("executions")).toEqual(["exe_a"]);
    expect((await failureOf("executions"))?.error).toStartWith("The settings are wrong. RETENTION_EXPORT_");
    expect((await failureOf("executions"))?.error).not.toContain(S3_KEY.secretAccessKey);
  });
});

describe("an interrupted export", () => {
  const crash = () => Promise.reject(new Error("the service stopped"));

  test("between upload and deletion writes the same objects again, although more is due", async () => {
    for (const id of ["exe_b", "exe_c"]) await old(id);
    const choose = () => Promise.resolve(["exe_c", "exe_b"]);
    await deleteExported(deps(), "executions", { choose, remove: crash });
    const before = new Map(s3.objects);
    expect(before.size).toBe(2);
    await old("exe_a");
    await old("exe_d");
    await pass(NOW + MINUTE_MS);
    expect(s3.puts.filter((key) => key.includes("/exe_b"))).toHaveLength(4);
    for (const [key, text] of before) expect(s3.objects.get(key)).toBe(text);
    expect(
      manifest("executions")
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["exe_a", "exe_b", "exe_c", "exe_d"]);
    expect(await ids("executions")).toEqual([]);
  });

  test("of a second pass at the same time neither fails nor loses a record", async () => {
    for (let index = 0; index < 120; index += 1) await old(`exe_${String(index).padStart(3, "0")}`);
    await oldEntries(30);
    const entries = await ids("audit_log");
    await Promise.all([pass(), pass(), pass()]);
    await pass();
    expect(manifest("executions")).toHaveLength(120);
    expect(
      manifest("audit")
        .map(({ id }) => id)
        .sort(),
    ).toEqual(entries);
    expect(await ids("executions")).toEqual([]);
    expect((await readRetention(deps())).exports).toMatchObject([
      { rows: 120, failure: null },
      { rows: 30, failure: null },
    ]);
  });

  test("is forgotten when a period becomes longer: what is no longer due stays", async () => {
    await old("exe_a", { finishedAt: NOW - 100 * DAY_MS });
    s3.fault = () => ({ status: 500, code: "InternalError" });
    await pass();
    const periods = (await readRetention(deps())).periods;
    expect((await call(service, "PUT", "/retention", { ...periods, executionDays: 120 })).status).toBe(200);
    s3.fault = null;
    await pass(NOW + MINUTE_MS);
    expect(await ids("executions")).toEqual(["exe_a"]);
    expect((await call(service, "PUT", "/retention", { ...periods, executionDays: 90 })).status).toBe(200);
    await pass(NOW + MINUTE_MS);
    expect(await ids("executions")).toEqual(["exe_a"]);
  });

  test("is forgotten when a workflow keeps its executions for longer", async () => {
    const { id, name, trigger, definition } = await createWorkflow(service);
    await old("exe_a", { workflowId: id });
    await oldEntries(1);
    s3.fault = () => ({ status: 500, code: "InternalError" });
    await pass();
    const body = { name, trigger, definition, retention: { executionDays: 400 } };
    expect((await call(service, "PUT", `/workflows/${id}`, body)).status).toBe(200);
    // It says nothing about the audit log.
    const begun = await query(service, "select kind from retention_exports where portion is not null");
    expect(begun).toEqual([{ kind: "audit" }]);
    s3.fault = null;
    await pass(NOW + MINUTE_MS);
    expect(await ids("executions")).toEqual(["exe_a"]);
  });

  test("whose portion another pass has deleted deletes nothing", async () => {
    await old("exe_a");
    const { db } = deps();
    const deleted = await deleteExported(deps(), "executions", {
      choose: () => Promise.resolve(["exe_a"]),
      remove: async (chosen, before) => {
        await write(service, ["update retention_exports set portion = null"]);
        return removeExecutions(db, chosen, NOW, before);
      },
    });
    expect(deleted).toBe(0);
    expect(await ids("executions")).toEqual(["exe_a"]);
  });

  test("stops before its next object when another pass has deleted the portion: what it read may be incomplete", async () => {
    for (const id of ["exe_a", "exe_b"]) await old(id);
    // Each is too large to share an object with the other one.
    await write(
      service,
      ["node_run_outputs", "jobs"].map(
        (table) => `update ${table} set output = '{"text":"' || hex(zeroblob(1050000)) || '"}'`,
      ),
    );
    s3.fault = async () => {
      await write(service, ["update retention_exports set portion = null"]);
      return null;
    };
    const choose = () => Promise.resolve(["exe_a", "exe_b"]);
    const deleted = await deleteExported(deps(), "executions", { choose, remove: crash });
    expect(deleted).toBe(0);
    expect(s3.puts.filter((key) => key.includes("/exe_b"))).toEqual([]);
    s3.fault = null;
    await pass();
    expect(manifest("executions").map(({ id }) => id)).toEqual(["exe_a", "exe_b"]);
    expect(s3.puts.filter((key) => key.endsWith(".ndjson"))).toHaveLength(3);
  });
});
