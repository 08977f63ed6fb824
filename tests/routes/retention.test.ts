import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as api from "../../schema/contract/api/retention.ts";
import { RETAINED_KINDS, retentionPreviewSchema, retentionSchema } from "../../schema/contract/retention.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { call, createWorkflow, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { DAY_MS, oldExecution, write } from "../support/old-records.ts";
import { createUser, signedIn } from "../support/people.ts";

let service: Service;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

const DEFAULTS = api.setRetention.example;
const PATHS = Object.keys(DEFAULTS).sort();
const read = async () => dataOf(await call(service, "GET", "/retention"), 200, retentionSchema);
const set = (body: unknown) => call(service, "PUT", "/retention", body);
const changed = async (periods: object) => dataOf(await set({ ...DEFAULTS, ...periods }), 200, retentionSchema);
const preview = (search: string) => call(service, "GET", `/retention/preview${search}`);

test("a new deployment has the default periods, and no kind has rows to delete", async () => {
  const retention = await read();
  expect(retention).toMatchObject({ periods: DEFAULTS, former: null, countedAt: null, lastPass: null });
  const none = { rows: 0, isMore: false };
  expect(retention.kinds.map(({ kind, nextDay }) => ({ kind, nextDay }))).toEqual(
    RETAINED_KINDS.map((kind) => ({ kind, nextDay: none })),
  );
});

describe("a wrong period is refused with its path", () => {
  test.each([
    ["0", 0],
    ["negative", -1],
    ["a part of a day", 1.5],
    ["ten years and a day", 3_651],
    ["a text", "90"],
    ["null", null],
  ])("%s", async (_, days) => {
    for (const path of PATHS) expect(await errorPathsOf(await set({ ...DEFAULTS, [path]: days }))).toEqual([path]);
  });

  test("a missing period, an unknown one, and a body that is no object", async () => {
    expect((await errorPathsOf(await set({}))).sort()).toEqual(PATHS);
    expect(await errorPathsOf(await set({ ...DEFAULTS, jobDays: 5 }))).toEqual(["jobDays"]);
    for (const body of [[], "90", null]) expect((await set(body)).status).toBe(400);
    expect((await read()).periods).toEqual(DEFAULTS);
  });

  test("in a preview", async () => {
    for (const days of ["0", "-1", "1.5", "3651", "many", ""]) {
      for (const path of PATHS) expect(await errorPathsOf(await preview(`?${path}=${days}`))).toEqual([path]);
    }
    expect(await errorPathsOf(await preview("?jobDays=5"))).toEqual(["jobDays"]);
  });
});

test("only administrators change periods; everyone who may read sees them", async () => {
  for (const role of ["viewer", "operator", "editor"] as const) {
    const person = await signedIn(service, await createUser(service, { role }));
    expect((await person.call("PUT", "/api/v1/automation/retention", DEFAULTS)).status).toBe(403);
    expect((await person.call("GET", "/api/v1/automation/retention")).status).toBe(200);
    expect((await person.call("GET", "/api/v1/automation/retention/preview")).status).toBe(200);
  }
  await problemOf(await fetch(`${service.url}/api/v1/automation/retention`), 401, "unauthorized");
});

test("a shorter period shows what it deletes, is pending for a day, and can be taken back", async () => {
  const { id: workflowId } = await createWorkflow(service);
  const ago = (days: number) => Date.now() - days * DAY_MS;
  await write(service, [
    ...oldExecution({ id: "exe_40", workflowId, finishedAt: ago(40) }),
    ...oldExecution({ id: "exe_40_child", workflowId, finishedAt: ago(41), parent: "exe_40" }),
    ...oldExecution({ id: "exe_40_grandchild", workflowId, finishedAt: ago(42), parent: "exe_40_child" }),
    ...oldExecution({ id: "exe_10", workflowId, finishedAt: ago(10) }),
    ...oldExecution({ id: "exe_10_child", workflowId, finishedAt: ago(40), parent: "exe_10" }),
    ...oldExecution({ id: "exe_failed", workflowId, status: "failed", finishedAt: ago(40) }),
  ]);
  const counted = await dataOf(await preview("?executionDays=30"), 200, retentionPreviewSchema);
  expect(counted.kinds.find(({ kind }) => kind === "executions")?.due).toEqual({ rows: 3, isMore: false });
  const ofWorkflow = await dataOf(
    await preview(`?workflowId=${workflowId}&executionDays=30`),
    200,
    retentionPreviewSchema,
  );
  expect(ofWorkflow.kinds).toEqual([{ kind: "executions", due: { rows: 3, isMore: false } }]);

  const before = Date.now();
  const pending = await changed({ executionDays: 30, incidentDays: 500 });
  expect(pending.periods).toMatchObject({ executionDays: 30, incidentDays: 500 });
  expect(pending.former?.periods).toEqual({ executionDays: 90 });
  const until = Date.parse(pending.former?.until ?? "");
  expect(until).toBeGreaterThanOrEqual(before + DAY_MS);
  expect(until).toBeLessThanOrEqual(Date.now() + DAY_MS);
  expect(pending.kinds.find(({ kind }) => kind === "executions")?.nextDay.rows).toBe(3);

  const back = await changed({ incidentDays: 500 });
  expect([back.periods, back.former]).toEqual([{ ...DEFAULTS, incidentDays: 500 }, null]);
  expect(back.kinds.find(({ kind }) => kind === "executions")?.nextDay.rows).toBe(0);
});

test("a change with If-Match does not overwrite the change of another administrator", async () => {
  const { revision, periods } = await changed({ incidentDays: 450 });
  const put = (tag: string) =>
    service.api("PUT", "/api/v1/automation/retention", { ...periods, incidentDays: 460 }, { "If-Match": tag });
  expect((await call(service, "GET", "/retention")).headers.get("ETag")).toMatch(new RegExp(`^"${revision}\\.`, "u"));
  await changed({ incidentDays: 455 });
  await problemOf(await put(`"${revision}"`), 412, "precondition_failed");
  expect((await read()).periods.incidentDays).toBe(455);
  expect((await put(`"${revision + 1}"`)).status).toBe(200);
  expect((await read()).periods.incidentDays).toBe(460);
  await changed({ incidentDays: 500 });
});

test("each change is one audit entry with the periods before and after; the same periods again are none", async () => {
  const entries = async () =>
    (await query(service, "select detail from audit_log where verb = 'change-retention' order by id")).map(
      ({ detail }) => JSON.parse(String(detail)),
    );
  const known = (await entries()).length;
  await changed({ incidentDays: 500, auditDays: 500 });
  await changed({ incidentDays: 500, auditDays: 500 });
  expect((await entries()).slice(known)).toEqual([{ auditDays: 500, auditDaysBefore: 400 }]);
});

test("answers are as described", async () => {
  expect(await undescribed(api.readRetention, await call(service, "GET", "/retention"))).toEqual([]);
  expect(await undescribed(api.setRetention, await set(DEFAULTS))).toEqual([]);
  expect(await undescribed(api.previewRetention, await preview(""))).toEqual([]);
});
