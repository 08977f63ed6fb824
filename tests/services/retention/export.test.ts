import "../../support/quiet-log.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { executionSchema, jobViewSchema } from "../../../schema/contract/execution.ts";
import { auditEntrySchema } from "../../../schema/contract/people.ts";
import { RETENTION_EXPORT_RETRY_MAX_MS, RETENTION_EXPORT_RETRY_MIN_MS } from "../../../schema/limits.ts";
import { deleteOldRecords } from "../../../worker/services/retention/delete-old.ts";
import { deleteExported } from "../../../worker/services/retention/export-first.ts";
import { readRetention } from "../../../worker/services/retention/read.ts";
import { retentionMetrics } from "../../../worker/services/metrics/retention-metrics.ts";
import { putObject } from "../../../worker/store/record-storage.ts";
import { bucketStorage } from "../../../worker/store/s3.ts";
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

/** The requests to the database meanwhile, with the sizes of their answers. */
async function answersDuring(act: () => Promise<void>): Promise<{ request: string; bytes: number }[]> {
  const answers: { request: string; bytes: number }[] = [];
  const original = globalThis.fetch;
  const watched = async (...[input, init]: Parameters<typeof fetch>) => {
    const request = input instanceof Request ? await input.clone().text() : String(init?.body);
    const response = await original(input, init);
    const { url } = input instanceof Request ? input : { url: String(input) };
    if (url.startsWith(service.libsql.url)) {
      answers.push({ request, bytes: (await response.clone().arrayBuffer()).byteLength });
    }
    return response;
  };
  globalThis.fetch = Object.assign(watched, original);
  try {
    await act();
  } finally {
    globalThis.fetch = original;
  }
  return answers;
}

const exportedSchema = executionSchema.extend({ jobs: z.array(jobViewSchema) });

describe("before they are deleted,", () => {
  test("executions go to the storage as the API shows them, with jobs and sub-workflows, and without sensitive values", async () => {
    await old("exe_a");
    await old("exe_b", { parent: "exe_a" });
    await old("exe_young", { finishedAt: NOW });
    const trigger = { type: "manual", variables: { token: "s3cret", host: "web-1" }, by: null, sensitive: ["token"] };
    await write(service, [{ sql: "update executions set trigger = ?", args: [JSON.stringify(trigger)] }]);
    await pass();
    expect(await ids("executions")).toEqual(["exe_young"]);
    const rows = manifest("executions").map((row) => exportedSchema.parse(row));
    expect(rows.map(({ id }) => id)).toEqual(["exe_a", "exe_b"]);
    expect(rows[0]).toMatchObject({
      workflowId,
      status: "succeeded",
      trigger: { variables: { token: "***", host: "web-1" } },
      nodeRuns: [{ nodeId: "first", output: {} }, { nodeId: "second" }],
      jobs: [{ id: "job-exe_a", effect: "read", lateResults: [{ agentId: "a" }] }],
    });
    expect([...s3.objects.values()].join("")).not.toContain("s3cret");
    expect([...s3.objects.values()].join("")).not.toContain(S3_KEY.secretAccessKey);
  });

  test("an execution whose jobs and outputs exceed one answer of the database goes to the storage whole", async () => {
    await old("exe_a");
    const text = (bytes: number) => `'{"text":"' || hex(zeroblob(${bytes / 2})) || '"}'`;
    const many = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 10)";
    await write(service, [
      `${many} insert into jobs (id, execution_id, kind, effect, pool_object, status, attempt, "order", queued_at, agent_id, delivered_at, output)
        select 'job-' || i, 'exe_a', 'action', 'read', 'pool:x', 'succeeded', 1, ${text(500_000)}, 1, 'agt_' || i, 1, ${text(400_000)} from n`,
      `${many} insert into node_runs (id, execution_id, node_id, status) select 'run-' || i, 'exe_a', 'n' || i, 'succeeded' from n`,
      `${many} insert into node_run_outputs (node_run_id, execution_id, output) select 'run-' || i, 'exe_a', ${text(500_000)} from n`,
    ]);
    await write(service, [`update executions set trigger = '{"type":"manual","variables":{},"by":null}'`]);
    const answers = await answersDuring(() => pass());
    expect(await ids("executions")).toEqual([]);
    const [row] = manifest("executions").map((one) => exportedSchema.parse(one));
    expect(row?.jobs.filter(({ output }) => output !== null)).toHaveLength(10);
    expect(row?.nodeRuns.filter(({ output }) => JSON.stringify(output ?? null).length > 400_000)).toHaveLength(10);
    expect(Math.max(...answers.map(({ bytes }) => bytes))).toBeLessThan(4_500_000);
    expect(answers.filter(({ request }) => request.includes('from \\"agents\\"'))).toHaveLength(1);
  });

  test("entries of the audit log go to the storage in portions, in the shape of the list", async () => {
    await oldEntries(1_005);
    const all = await ids("audit_log");
    await pass();
    const rows = manifest("audit").map((row) => auditEntrySchema.strict().parse(row));
    expect(rows.map(({ id }) => id)).toEqual(all);
    expect(rows[0]?.names).toEqual({ [workflowId]: "Restart checkout" });
    expect(await query(service, "select verb from audit_log")).toMatchObject([{ verb: "delete-old-records" }]);
    expect((await readRetention(deps())).exports).toMatchObject([
      { kind: "executions", rows: 0, exportedAt: null, failure: null },
      { kind: "audit", rows: all.length, exportedAt: new Date(NOW).toISOString(), failure: null },
    ]);
  });

  test("executions of a deleted workflow go to the storage, too", async () => {
    const { id } = await createWorkflow(service);
    await call(service, "DELETE", `/workflows/${id}?executions=delete`);
    await old("exe_deleted", { workflowId: id, finishedAt: NOW - DAY_MS });
    await write(service, [`update deleted_workflows set deleted_at = deleted_at - ${3 * DAY_MS}`]);
    await write(service, [`update executions set finished_at = ${NOW - 3 * DAY_MS}`]);
    await pass();
    expect(manifest("executions")).toMatchObject([{ id: "exe_deleted" }]);
    expect(await ids("executions")).toEqual([]);
    expect(await query(service, `select id from deleted_workflows where id = '${id}'`)).toEqual([]);
  });
});

test("without settings nothing is exported, and deletion is as before", async () => {
  await old("exe_a");
  await oldEntries(3);
  await pass(NOW, {});
  expect(await ids("executions")).toEqual([]);
  expect(await query(service, "select 1 from audit_log where verb = 'publish'")).toEqual([]);
  expect(s3.puts).toEqual([]);
  expect((await readRetention(deps(NOW, {}))).exports).toBeNull();
});

describe("while the export fails,", () => {
  test.each([
    [403, "AccessDenied", "The storage refused an object: 403 AccessDenied."],
    [500, "InternalError", "The storage refused an object: 500 InternalError."],
    [507, "InsufficientStorage", "The storage refused an object: 507 InsufficientStorage."],
    [301, "PermanentRedirect", "The storage refused an object: 301 PermanentRedirect."],
  ])(
    "with %d %s, nothing of the kind is deleted, other kinds are, and the answer says why",
    async (status, code, error) => {
      await old("exe_a");
      await oldEntries(3);
      s3.fault = (key) => (key.includes("executions/") ? { status, code } : null);
      await pass();
      expect(await ids("executions")).toEqual(["exe_a"]);
      expect(await query(service, "select 1 from audit_log where verb = 'publish'")).toEqual([]);
      expect(await failureOf("executions")).toEqual({
        since: new Date(NOW).toISOString(),
        error,
        retryAt: new Date(NOW + RETENTION_EXPORT_RETRY_MIN_MS).toISOString(),
      });
      expect(await failureOf("audit")).toBeNull();
    },
  );

  test("also when only the entry of the manifest is refused, nothing is deleted", async () => {
    await old("exe_a");
    s3.fault = (key) => (key.includes("manifest/") ? { status: 500, code: "InternalError" } : null);
    await pass();
    expect(await ids("executions")).toEqual(["exe_a"]);
    s3.fault = null;
    await pass(NOW + MINUTE_MS);
    expect(manifest("executions")).toMatchObject([{ id: "exe_a" }]);
    expect(await ids("executions")).toEqual([]);
    expect(await failureOf("executions")).toBeNull();
  });

  test("it is tried again after a minute, then twice as late each time, up to an hour, and metrics count from the first failure", async () => {
    await old("exe_a");
    s3.fault = () => ({ status: 500, code: "InternalError" });
    let at = NOW - 14 * MINUTE_MS;
    const first = at;
    for (const minutes of [1, 2, 4]) {
      const before = s3.puts.length;
      await pass(at);
      expect(s3.puts.length).toBe(before + 1);
      await pass(at + minutes * MINUTE_MS - 1);
      expect(s3.puts.length).toBe(before + 1);
      at += minutes * MINUTE_MS;
    }
    const metrics = await retentionMetrics(deps(at), at);
    expect(metrics.find(({ name }) => name === "bellhop_retention_export_failing_seconds")?.samples).toEqual([
      { labels: { kind: "executions" }, value: (at - first) / 1_000 },
      { labels: { kind: "audit" }, value: 0 },
    ]);
    await write(service, ["update retention_exports set failures = 40"]);
    expect((await failureOf("executions"))?.retryAt).toBe(
      new Date(at - 4 * MINUTE_MS + RETENTION_EXPORT_RETRY_MAX_MS).toISOString(),
    );
  });

  test("without a server at the address, and with a wrong key, bucket or region", async () => {
    await old("exe_a");
    const gone = startS3();
    await gone.stop();
    const attempts: [Record<string, string>, string][] = [
      [settings(gone.url), "The connection to the storage could not be made, or broke off."],
      [settings(s3.url.replace("records", "others")), "The storage refused an object: 404 NoSuchBucket."],
      [
        { ...settings(), RETENTION_EXPORT_SECRET_ACCESS_KEY: "wrong" },
        "The storage refused an object: 403 SignatureDoesNotMatch.",
      ],
      [
        { ...settings(), RETENTION_EXPORT_ACCESS_KEY_ID: "other" },
        "The storage refused an object: 403 InvalidAccessKeyId.",
      ],
      [
        { ...settings(), RETENTION_EXPORT_REGION: "us-east-1" },
        "The storage refused an object: 400 AuthorizationHeaderMalformed.",
      ],
    ];
    for (const [chosen, error] of attempts) {
      await write(service, ["delete from retention_exports"]);
      await pass(NOW, chosen);
      expect((await failureOf("executions"))?.error).toBe(error);
      expect(await ids("executions")).toEqual(["exe_a"]);
    }
  });

  test("an execution that cannot be read stays and is named, and the others go on", async () => {
    for (const id of ["exe_a", "exe_b", "exe_c"]) await old(id);
    await old("exe_b-below", { parent: "exe_b" });
    await write(service, ["update jobs set output = '{' where id = 'job-exe_b-below'"]);
    await pass();
    expect(await ids("executions")).toEqual(["exe_b", "exe_b-below"]);
    const problem = await failureOf("executions");
    expect(problem?.error).toStartWith("The execution exe_b-below could not be read, and stays: ");
    await old("exe_d");
    await pass(NOW + MINUTE_MS);
    expect(await ids("executions")).toEqual(["exe_b", "exe_b-below"]);
    expect((await failureOf("executions"))?.since).toBe(problem?.since ?? "");
    await write(service, ["update jobs set output = null"]);
    await pass(NOW + 2 * MINUTE_MS);
    expect(await ids("executions")).toEqual([]);
    expect(await failureOf("executions")).toBeNull();
  });

  test("a database that does not answer while the records are read is a failure, too", async () => {
    await old("exe_a");
    const choose = () => Promise.resolve(["exe_a"]);
    const remove = () => Promise.reject(new Error("fetch failed"));
    expect(await deleteExported(deps(), "executions", { choose, remove })).toBe(0);
    expect((await failureOf("executions"))?.error).toBe("The records could not be read: fetch failed");
  });

  test("a storage that does not answer fails in time", async () => {
    s3.fault = () => new Promise<never>(() => undefined);
    const object = { key: "a", contentType: "text/plain", bytes: new TextEncoder().encode("a") };
    const put = putObject(bucketStorage({ url: s3.url, ...S3_KEY }), object, NOW, 50);
    expect(await put.catch(String)).toBe("Error: The storage did not answer in time.");
  });
});
