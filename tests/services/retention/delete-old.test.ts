import "../../support/quiet-log.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { retentionMetrics } from "../../../worker/services/metrics/retention-metrics.ts";
import { newId } from "../../../worker/services/ids.ts";
import { countKinds } from "../../../worker/services/retention/count-kinds.ts";
import { deleteOldRecords } from "../../../worker/services/retention/delete-old.ts";
import { readRetention } from "../../../worker/services/retention/read.ts";
import { ranAsKey } from "../../../worker/store/suppressed-executions.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { createWorkflow } from "../../support/management-api.ts";
import { DAY_MS, PARTS, lateResult, oldExecution, write } from "../../support/old-records.ts";
import type { OldExecution } from "../../support/old-records.ts";
import { testDeps } from "../../support/test-deps.ts";

let service: Service;
let workflowId: string;
beforeAll(async () => {
  service = await startApp();
  workflowId = (await createWorkflow(service)).id;
});
afterAll(() => service.stop());

const NOW = Date.now();
const ago = (days: number) => NOW - days * DAY_MS;
const deps = () => testDeps(service.libsql.url);
const pass = (at = NOW) => deleteOldRecords(deps(), at);
const all = async (sql: string) => (await query(service, sql)).map((row) => String(Object.values(row)[0]));

const TABLES = ["executions", ...PARTS, "stale_results", "removed_executions", "retention_kinds", "retention_progress"];
beforeEach(() =>
  write(
    service,
    [...TABLES, "incident_events", "incidents"].map((table) => `delete from ${table}`),
  ),
);

test("of executions with all kinds of sub-workflows, exactly those that are due go, with all their parts", async () => {
  for (let round = 0; round < 4; round += 1) {
    await write(
      service,
      TABLES.map((table) => `delete from ${table}`),
    );
    const trees = Array.from({ length: 60 }, (_, index) => randomTree(`${round}-${index}`));
    // Newer than the others, so that the newest event of all belongs to an execution that stays.
    const newest = [{ id: "exe_newest", workflowId, finishedAt: NOW }];
    await write(service, [...trees, newest].flat().flatMap(oldExecution));
    await pass();
    const kept = [...trees.filter((tree) => !isDue(tree)), newest].flat().map(({ id }) => id);
    expect((await all("select id from executions")).sort()).toEqual(kept.sort());
    for (const table of PARTS) {
      expect(new Set(await all(`select execution_id from ${table}`))).toEqual(new Set(kept));
    }
    expect(await all("select id from removed_executions")).toEqual([]);
    expect(new Set(await all("select execution_id from node_runs group by 1 having count(*) = 2"))).toEqual(
      new Set(kept),
    );
  }
});

/** A root and executions below it, each with a chance to be running, unsettled or young. */
function randomTree(name: string): OldExecution[] {
  const pick = <T>(...values: T[]): T => values[Math.floor(Math.random() * values.length)] as T;
  const tree: OldExecution[] = [];
  const size = pick(1, 1, 2, 4);
  for (let index = 0; index < size; index += 1) {
    const runs = Math.random() < 0.1;
    tree.push({
      id: `exe_${name}-${index}`,
      workflowId,
      status: runs ? "running" : pick("succeeded", "failed", "cancelled"),
      finishedAt: runs ? null : ago(pick(1, 89.9, 90.1, 179.9, 180.1, 500)),
      wakeAt: Math.random() < 0.1 ? NOW : null,
      ...(index === 0 ? {} : { parent: pick(...tree).id }),
    });
  }
  return tree;
}

function isDue(tree: readonly OldExecution[]): boolean {
  const [root] = tree;
  const days = root?.status === "failed" ? 180 : 90;
  const isOld = typeof root?.finishedAt === "number" && root.finishedAt <= ago(days);
  return isOld && tree.every(({ status, wakeAt }) => status !== "running" && wakeAt === null);
}

test("an execution whose incident's event is not yet compared with every workflow stays, so that it starts no second time", async () => {
  await write(service, [
    ...oldExecution({ id: "exe_of-event", workflowId, finishedAt: ago(200), triggerKey: "evt_1" }),
    ...oldExecution({ id: "exe_that-it-joined", workflowId, finishedAt: ago(200), triggerKey: "evt_0" }),
    "insert into batched_events (execution_id, position, workflow_id, trigger_key) values ('exe_that-it-joined', 0, 'wf', 'evt_0'), ('exe_that-it-joined', 1, 'wf', 'evt_1')",
    "insert into incident_events (id, incident_id, type, snapshot, at) values ('evt_1', 'inc_1', 'incident.created', '{}', 1)",
  ]);
  await pass();
  expect(await all("select id from executions order by id")).toEqual(["exe_of-event", "exe_that-it-joined"]);
  await write(service, ["update incident_events set matched_at = 1"]);
  await pass();
  expect(await all("select id from executions")).toEqual([]);
  expect(await all("select position from batched_events")).toEqual([]);
});

test("a run of an execution that a maintenance window skipped stays as long as the skipped one, so that no one runs it twice", async () => {
  await write(service, [
    ...oldExecution({ id: "exe_skipped", workflowId, status: "failed", finishedAt: ago(150) }),
    ...oldExecution({ id: "exe_ran-as", workflowId, finishedAt: ago(140), triggerKey: ranAsKey("exe_skipped") }),
  ]);
  await pass();
  expect(await all("select id from executions order by id")).toEqual(["exe_ran-as", "exe_skipped"]);
  await pass(NOW + 31 * DAY_MS);
  expect(await all("select id from executions")).toEqual([]);
});

test("a retry stays although its original goes", async () => {
  await write(service, [
    ...oldExecution({ id: "exe_original", workflowId, finishedAt: ago(200) }),
    ...oldExecution({ id: "exe_retry", workflowId, finishedAt: ago(1) }),
    "update executions set retry_of = 'exe_original' where id = 'exe_retry'",
  ]);
  await pass();
  expect(await all("select id from executions")).toEqual(["exe_retry"]);
});

test("parts that a former pass left are deleted, and nothing of others", async () => {
  await write(service, [
    ...oldExecution({ id: "exe_half", workflowId, finishedAt: ago(200) }),
    ...oldExecution({ id: "exe_kept", workflowId, finishedAt: ago(1) }),
    "insert into removed_executions (id, removed_at) values ('exe_half', 1)",
    "delete from executions where id = 'exe_half'",
  ]);
  await pass();
  for (const table of PARTS)
    expect(new Set(await all(`select execution_id from ${table}`))).toEqual(new Set(["exe_kept"]));
});

test("of a kept execution, old events go but the one with the highest revision, also when they are looked at again", async () => {
  await write(service, [
    ...oldExecution({ id: "exe_old", workflowId, finishedAt: ago(8) }),
    ...oldExecution({ id: "exe_fresh", workflowId, finishedAt: ago(6) }),
  ]);
  const revisions = () => all("select execution_id || ' ' || revision from execution_events order by 1");
  await pass();
  expect(await revisions()).toEqual(["exe_fresh 1", "exe_fresh 2", "exe_old 2"]);
  await pass(NOW + 2 * DAY_MS);
  expect(await revisions()).toEqual(["exe_fresh 2", "exe_old 2"]);
  await write(service, ["update retention_progress set events_up_to = 0"]);
  await pass(NOW + 30 * DAY_MS);
  expect(await revisions()).toEqual(["exe_fresh 2", "exe_old 2"]);
  // As after the database was compacted.
  await write(service, [
    ...oldExecution({ id: "exe_later", workflowId, finishedAt: ago(8) }),
    "update retention_progress set events_up_to = 1000000000",
  ]);
  await pass(NOW + 30 * DAY_MS);
  expect(await revisions()).toEqual(["exe_fresh 2", "exe_later 2", "exe_old 2"]);
});

test("resolved incidents go with their events; open ones, changed ones and ones with an unmatched event stay", async () => {
  const incident = (name: string, status: string, updatedDaysAgo: number, matchedAt: number | null) => {
    const id = newId("incident", ago(900));
    return [
      {
        sql: "insert into incidents (id, title, severity, status, tags, created_at, updated_at) values (?, ?, 'low', ?, '{}', 1, ?)",
        args: [id, name, status, ago(updatedDaysAgo)],
      },
      {
        sql: "insert into incident_events (id, incident_id, type, snapshot, at, matched_at) values (?, ?, 'incident.created', '{}', 1, ?)",
        args: [`evt_${name}`, id, matchedAt],
      },
    ];
  };
  await write(
    service,
    [
      incident("due", "resolved", 401, 1),
      incident("changed", "resolved", 399, 1),
      incident("open", "triggered", 800, 1),
      incident("unmatched", "resolved", 800, null),
    ].flat(),
  );
  await pass();
  expect((await all("select title from incidents")).sort()).toEqual(["changed", "open", "unmatched"]);
  expect((await all("select id from incident_events")).sort()).toEqual(["evt_changed", "evt_open", "evt_unmatched"]);
});

test("missed runs, deliveries, late results and audit entries go by their own age alone", async () => {
  const audit = (days: number) => ({
    sql: "insert into audit_log (id, at, actor, verb, subject_type, subject_id, detail) values (?, ?, 'a', 'test', 'user', ?, '{}')",
    args: [newId("audit", ago(days)), ago(days), `${days}`],
  });
  const missed = (days: number) => ({
    sql: "insert into missed_runs (workflow_id, first_due_at, last_due_at, count, recorded_at) values (?, ?, 1, 1, ?)",
    args: [`${days}`, days, ago(days)],
  });
  const delivery = (days: number) => ({
    sql: "insert into integration_deliveries (integration_id, delivery_key, incident_id, at) values ('i', ?, 'inc', ?)",
    args: [`${days}`, ago(days)],
  });
  await write(service, [399, 401].map(audit));
  await write(
    service,
    [29, 31].flatMap((days) => [missed(days), delivery(days), lateResult(`${days}`, "job_x", ago(days))]),
  );
  await pass();
  expect(await all("select subject_id from audit_log where verb = 'test'")).toEqual(["399"]);
  expect(await all("select workflow_id from missed_runs")).toEqual(["29"]);
  expect(await all("select delivery_key from integration_deliveries")).toEqual(["29"]);
  expect(await all("select id from stale_results")).toEqual(["29"]);
});

test("the audit log gets the counts after the first pass, then once a day, and no deletion is missing", async () => {
  await write(service, ["delete from audit_log"]);
  const entries = async () =>
    (await all("select detail from audit_log where verb = 'delete-old-records' order by id")).map((detail) =>
      JSON.parse(detail),
    );
  const passAt = (at: number) => deleteOldRecords(testDeps(service.libsql.url, { now: () => at }), at);
  await passAt(NOW);
  expect(await entries()).toEqual([]);
  await write(
    service,
    ["a", "b"].flatMap((id) => oldExecution({ id, workflowId, finishedAt: ago(200) })),
  );
  await passAt(NOW);
  expect(await entries()).toEqual([{ executions: 2, lateResults: 2 }]);
  await write(service, oldExecution({ id: "c", workflowId, finishedAt: ago(200) }));
  await passAt(NOW + DAY_MS - 1);
  expect(await entries()).toHaveLength(1);
  await passAt(NOW + DAY_MS);
  expect(await entries()).toMatchObject([
    { executions: 2, lateResults: 2 },
    { executions: 1, lateResults: 1 },
  ]);
});

test("metrics have the deleted rows, the age of the oldest one and the duration of the last pass", async () => {
  const day = 24 * 60 * 60;
  const shown = async (name: string, kind?: string) => {
    const metrics = await retentionMetrics(deps(), NOW);
    const samples = metrics.find((metric) => metric.name === `bellhop_retention_${name}`)?.samples ?? [];
    return samples.find(({ labels }) => labels?.["kind"] === kind)?.value;
  };
  expect(await shown("deleted_total", "executions")).toBe(0);
  expect(await shown("oldest_age_seconds", "executions")).toBe(0);
  expect(await shown("pass_seconds")).toBe(0);
  const young = { id: newId("execution", ago(2)), workflowId, finishedAt: ago(1) };
  await write(service, [...oldExecution({ id: "a", workflowId, finishedAt: ago(200) }), ...oldExecution(young)]);
  await pass();
  expect(await shown("deleted_total", "executions")).toBe(1);
  expect(await shown("oldest_age_seconds", "executions")).toBe(2 * day);
  expect(await shown("pass_seconds")).toBeGreaterThan(0);
});

test("rows that are new since a count of none have a size", async () => {
  await countKinds(deps(), NOW);
  await write(service, oldExecution({ id: "a", workflowId, finishedAt: ago(1) }));
  const executions = (await readRetention(deps())).kinds.find(({ kind }) => kind === "executions");
  expect(executions).toMatchObject({ rows: 1, bytes: 300 });
});

test("the number of rows is counted once a day, and follows new and deleted rows in between", async () => {
  const rows = async () => (await readRetention(deps())).kinds.find(({ kind }) => kind === "executions");
  expect(await rows()).toMatchObject({ rows: null, bytes: null, newPerDay: null, oldestAt: null });
  await write(
    service,
    ["a", "b", "c"].flatMap((id) => oldExecution({ id, workflowId, finishedAt: ago(200) })),
  );
  await countKinds(deps(), NOW);
  expect((await rows())?.rows).toBe(3);
  expect((await rows())?.bytes).toBeGreaterThan(3 * 300);
  expect((await rows())?.nextDay).toEqual({ rows: 3, isMore: false });
  await write(
    service,
    ["d", "e"].flatMap((id) => oldExecution({ id, workflowId, finishedAt: ago(1) })),
  );
  await countKinds(deps(), NOW + DAY_MS - 1);
  expect((await rows())?.rows).toBe(5);
  await pass();
  expect(await rows()).toMatchObject({ rows: 2, deleted: 3, nextDay: { rows: 0, isMore: false } });
  await countKinds(deps(), NOW + 2 * DAY_MS);
  expect(await rows()).toMatchObject({ rows: 2, newPerDay: 1 });
});
