import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as api from "../../schema/contract/api/maintenance.ts";
import { maintenanceWindowSchema } from "../../schema/contract/maintenance.ts";
import type { MaintenanceWindowView } from "../../schema/contract/maintenance.ts";
import { deletedSchema } from "../../schema/contract/management.ts";
import { MAINTENANCE_WINDOWS_MAX } from "../../schema/limits.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { call, createWorkflow, dataOf, errorPathsOf, pageOf, problemOf } from "../support/management-api.ts";
import { createUser, signedIn } from "../support/people.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const HOUR_MS = 60 * 60_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const fields = (more: object = {}) => ({
  name: "Storage",
  startsAt: inHours(-1),
  endsAt: inHours(1),
  mode: "hold",
  tags: ["storage"],
  ...more,
});
const PATH = "/maintenance-windows";
const create = async (more: object = {}): Promise<MaintenanceWindowView> =>
  dataOf(await call(bellhop, "POST", PATH, fields(more)), 201, maintenanceWindowSchema);
const listed = async (search: string) =>
  (await pageOf(await call(bellhop, "GET", `${PATH}?${search}`), maintenanceWindowSchema)).items;

describe("maintenance windows", () => {
  test("are created, shown, changed, ended and deleted, and the audit log has each change", async () => {
    const { id: workflowId } = await createWorkflow(bellhop);
    const made = await create({
      reason: " Failover ",
      workflowIds: [workflowId, workflowId],
      tags: ["Storage", "storage"],
      services: ["checkout"],
    });
    expect(made).toMatchObject({ workflowIds: [workflowId], tags: ["storage"], services: ["checkout"] });
    expect(made).toMatchObject({ everything: false, reason: "Failover", state: "open", revision: 1 });
    const one = `${PATH}/${made.id}`;
    const read = await call(bellhop, "GET", one);
    expect(read.headers.get("ETag")).toContain('"1.');
    expect(await dataOf(read, 200, maintenanceWindowSchema)).toEqual(made);

    const planned = fields({ startsAt: inHours(1), endsAt: inHours(2), mode: "ask", everything: true, tags: [] });
    const changed = await dataOf(await call(bellhop, "PUT", one, planned), 200, maintenanceWindowSchema);
    expect(changed).toMatchObject({ state: "planned", mode: "ask", everything: true, tags: [], reason: null });
    const ended = await call(bellhop, "PUT", one, fields({ endsAt: new Date().toISOString() }));
    expect((await dataOf(ended, 200, maintenanceWindowSchema)).state).toBe("ended");
    expect(await dataOf(await call(bellhop, "DELETE", one), 200, deletedSchema)).toEqual({ id: made.id });
    await problemOf(await call(bellhop, "GET", one), 404, "not_found");
    await problemOf(await call(bellhop, "DELETE", one), 404, "not_found");
    await problemOf(await call(bellhop, "PUT", one, fields()), 404, "not_found");

    const entries = await query(bellhop, "select verb, subject_type from audit_log where subject_id = ? order by id", [
      made.id,
    ]);
    expect(entries.map((entry) => Object.values(entry).join(" "))).toEqual([
      "create maintenance-window",
      "update maintenance-window",
      "update maintenance-window",
      "delete maintenance-window",
    ]);
  });

  test("change only for a caller who has seen the present state", async () => {
    const { id } = await create();
    const withTag = (method: string, tag: string, body?: object) =>
      bellhop.api(method, `/api/v1/automation${PATH}/${id}`, body, { "If-Match": tag });
    await problemOf(await withTag("PUT", '"7"', fields()), 412, "precondition_failed");
    await problemOf(await withTag("DELETE", '"7"'), 412, "precondition_failed");
    expect((await withTag("PUT", '"1"', fields({ name: "Other" }))).status).toBe(200);
    expect((await withTag("DELETE", '"2"')).status).toBe(200);
  });

  test("are listed by their state", async () => {
    const open = await create();
    const planned = await create({ startsAt: inHours(1), endsAt: inHours(2) });
    const ids = async (search: string) => (await listed(search)).map(({ id }) => id);
    expect(await ids("state=open")).toContain(open.id);
    expect(await ids("state=open")).not.toContain(planned.id);
    expect(await ids("state=planned")).toContain(planned.id);
    await call(bellhop, "PUT", `${PATH}/${open.id}`, fields({ endsAt: inHours(-0.5) }));
    expect(await ids("state=ended")).toContain(open.id);
    const first = await pageOf(await call(bellhop, "GET", `${PATH}?limit=1`), maintenanceWindowSchema);
    expect(first.items.map(({ id }) => id)).toEqual([planned.id]);
    expect(await ids(`limit=1&cursor=${first.nextCursor}`)).toEqual([open.id]);
  });

  test.each<[what: object, paths: string[]]>([
    [{ name: "" }, ["name"]],
    [{ name: "a\nb" }, ["name"]],
    [{ reason: "x".repeat(501) }, ["reason"]],
    [{ reason: "a\u202Eb" }, ["reason"]],
    [{ startsAt: "tomorrow" }, ["startsAt"]],
    [{ startsAt: 1_800_000_000_000 }, ["startsAt"]],
    [{ endsAt: "2026-13-01T00:00:00Z" }, ["endsAt"]],
    [{ endsAt: inHours(-1.1) }, ["endsAt"]],
    [{ startsAt: inHours(-2), endsAt: inHours(-1) }, ["endsAt"]],
    [{ endsAt: inHours(24 * 90) }, ["endsAt"]],
    [{ mode: "drop" }, ["mode"]],
    [{ tags: [] }, ["everything"]],
    [{ everything: true }, ["everything"]],
    [{ everything: "yes" }, ["everything"]],
    [{ tags: ["a,b"] }, ["tags.0"]],
    [{ tags: ["ok", ""] }, ["tags.1"]],
    [{ services: [" "] }, ["services.0"]],
    [{ services: ["x".repeat(501)] }, ["services.0"]],
    [{ services: Array.from({ length: 101 }, (_, at) => `s${at}`) }, ["services"]],
    [{ workflowIds: ["wf_none"] }, ["workflowIds.0"]],
    [{ workflowIds: [7] }, ["workflowIds.0"]],
    [{ colour: "red" }, ["colour"]],
  ])("with %j are refused with the path", async (more, paths) => {
    expect(await errorPathsOf(await call(bellhop, "POST", PATH, fields(more)))).toEqual(paths);
  });

  test("keep a workflow that was deleted after it was named", async () => {
    const { id: workflowId } = await createWorkflow(bellhop);
    const { id } = await create({ workflowIds: [workflowId] });
    await call(bellhop, "DELETE", `/workflows/${workflowId}`);
    const changed = await call(bellhop, "PUT", `${PATH}/${id}`, fields({ workflowIds: [workflowId] }));
    expect((await dataOf(changed, 200, maintenanceWindowSchema)).workflowIds).toEqual([workflowId]);
  });

  test("answer as the description says", async () => {
    const { id } = await create();
    expect(await undescribed(api.createMaintenanceWindow, await call(bellhop, "POST", PATH, fields()))).toEqual([]);
    expect(await undescribed(api.createMaintenanceWindow, await call(bellhop, "POST", PATH, {}))).toEqual([]);
    const one = (method: string, body?: object) => call(bellhop, method, `${PATH}/${id}`, body);
    expect(await undescribed(api.listMaintenanceWindows, await call(bellhop, "GET", PATH))).toEqual([]);
    expect(await undescribed(api.getMaintenanceWindow, await one("GET"))).toEqual([]);
    expect(await undescribed(api.replaceMaintenanceWindow, await one("PUT", fields()))).toEqual([]);
    expect(await undescribed(api.deleteMaintenanceWindow, await one("DELETE"))).toEqual([]);
    expect(await undescribed(api.deleteMaintenanceWindow, await one("DELETE"))).toEqual([]);
  });

  test("are changed by operators, and only read by viewers", async () => {
    const operator = await signedIn(bellhop, await createUser(bellhop, { role: "operator" }));
    const viewer = await signedIn(bellhop, await createUser(bellhop, { role: "viewer" }));
    const path = `/api/v1/automation${PATH}`;
    const made = await operator.call("POST", path, fields());
    const { id } = await dataOf(made, 201, maintenanceWindowSchema);
    expect((await viewer.call("GET", path)).status).toBe(200);
    expect((await viewer.call("GET", `${path}/${id}`)).status).toBe(200);
    await problemOf(await viewer.call("POST", path, fields()), 403, "forbidden");
    await problemOf(await viewer.call("PUT", `${path}/${id}`, fields()), 403, "forbidden");
    await problemOf(await viewer.call("DELETE", `${path}/${id}`), 403, "forbidden");
    expect((await operator.call("PUT", `${path}/${id}`, fields())).status).toBe(200);
    expect((await operator.call("DELETE", `${path}/${id}`)).status).toBe(200);
  });

  test("that have not ended have a limit", async () => {
    await query(bellhop, "delete from maintenance_windows");
    const { id } = await create();
    const columns =
      "name, starts_at, ends_at, mode, everything, workflow_ids, tags, services, revision, created_at, updated_at";
    await query(
      bellhop,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAINTENANCE_WINDOWS_MAX - 1})
       insert into maintenance_windows (id, ${columns}) select 'mwn_' || i, ${columns} from maintenance_windows, n where id = ?`,
      [id],
    );
    await problemOf(await call(bellhop, "POST", PATH, fields()), 409, "conflict");
    const change = fields({ name: "Changed" });
    expect((await call(bellhop, "PUT", `${PATH}/${id}`, change)).status).toBe(200);
    await call(bellhop, "PUT", `${PATH}/${id}`, fields({ endsAt: inHours(-0.5) }));
    await create();
    await problemOf(await call(bellhop, "PUT", `${PATH}/${id}`, fields()), 409, "conflict");
  });
});
