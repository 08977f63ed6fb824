import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readFailedRuns, readRecoveries } from "../../../worker/services/alerts/index.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { createWorkflow } from "../../support/management-api.ts";
import { write } from "../../support/old-records.ts";
import { testDeps } from "../../support/test-deps.ts";

let service: Service;
let workflowId: string;
let made = 0;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());
beforeEach(async () => {
  ({ id: workflowId } = await createWorkflow(service, { name: "Restart" }));
  await write(service, ["delete from executions"]);
});

const deps = () => testDeps(service.libsql.url);

/** An execution that ended at a time, with its concurrency key or none. */
async function ended(status: "failed" | "succeeded", at: number, key: string | null): Promise<string> {
  const id = `exe_${String((made += 1)).padStart(4, "0")}`;
  const sql = `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at,
    finished_at, concurrency_key) values (?, ?, 'wfv_1', ?, '{"type":"manual"}', ?, 2, ?, ?, ?)`;
  await write(service, [{ sql, args: [id, workflowId, status, id, at, at, key] }]);
  return id;
}

const failures = async () =>
  (await readFailedRuns(deps(), { at: 0, id: "" }, 100)).events.map(({ line, failure, runKey }) => [
    line.subject,
    failure,
    runKey,
  ]);

test("the first failure of each key is one, and another key's success ends no row of failures", async () => {
  await ended("failed", 1_000, "checkout");
  await ended("failed", 2_000, "payments");
  await ended("succeeded", 3_000, "payments");
  await ended("failed", 4_000, "checkout");
  await ended("failed", 5_000, "payments");
  const failed = (key: string, failure: string) => [`Workflow "Restart" failed for ${key}`, failure, key];
  expect(await failures()).toEqual([
    failed("checkout", "first"),
    failed("payments", "first"),
    failed("checkout", "further"),
    failed("payments", "first"),
  ]);
});

test("without a key all runs of the workflow count", async () => {
  await ended("failed", 1_000, null);
  await ended("failed", 2_000, null);
  await ended("succeeded", 3_000, "checkout");
  await ended("failed", 4_000, null);
  expect((await failures()).map(([, failure]) => failure)).toEqual(["first", "further", "first"]);
});

test("a recovery is the success of the same key, and without a key of any run", async () => {
  const failing = [
    { workflowId, key: "checkout", at: 1_000 },
    { workflowId, key: "payments", at: 1_000 },
    { workflowId: "wf_gone", key: null, at: 1_000 },
    { workflowId, key: null, at: 1_000 },
  ];
  const executionId = await ended("succeeded", 2_000, "payments");
  const { recovered, gone } = await readRecoveries(deps(), failing);
  expect(recovered.map(({ failing: { key }, event }) => [key, event.line.subject, event.line.path])).toEqual([
    ["payments", 'Workflow "Restart" succeeded again for payments', `/executions/${executionId}`],
    [null, 'Workflow "Restart" succeeded again', `/executions/${executionId}`],
  ]);
  expect(gone.map((one) => one.workflowId)).toEqual(["wf_gone"]);
});

test("a key from outside is one short line of a subject", async () => {
  await ended("failed", 1_000, `a\r\nBcc: x@example.com\u202e${"b".repeat(500)}`);
  const [[subject = ""] = []] = await failures();
  expect(subject).toMatch(/^Workflow "Restart" failed for a Bcc: x@example\.com b+…$/u);
  expect(subject?.length).toBeLessThan(120);
});
