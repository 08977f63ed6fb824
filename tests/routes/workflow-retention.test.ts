import "../support/quiet-log.ts";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema } from "../../schema/contract/management.ts";
import { importCheckSchema } from "../../schema/contract/workflow-file.ts";
import { retentionPreviewSchema } from "../../schema/contract/retention.ts";
import { deleteOldRecords } from "../../worker/services/retention/delete-old.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { DELAY_DEFINITION, call, createWorkflow, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { DAY_MS, oldExecution, write } from "../support/old-records.ts";
import { createUser, signedIn } from "../support/people.ts";
import { testDeps } from "../support/test-deps.ts";

let service: Service;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

const ago = (days: number) => Date.now() - days * DAY_MS;
const pass = (inDays = 0) => deleteOldRecords(testDeps(service.libsql.url), Date.now() + inDays * DAY_MS);
const draft = (retention: unknown) => ({
  name: "a workflow",
  trigger: { type: "webhook" },
  definition: DELAY_DEFINITION,
  retention,
});
const put = (id: string, retention: unknown) => call(service, "PUT", `/workflows/${id}`, draft(retention));
const saved = async (id: string, retention: unknown) => dataOf(await put(id, retention), 200, workflowSchema);

/** A workflow with one execution for each of these statuses and ages in days. */
async function workflowWith(executions: [string, number][], retention: object | null = null) {
  const { id: workflowId } = await createWorkflow(service, { retention });
  await write(
    service,
    executions.flatMap(([status, days]) =>
      oldExecution({ id: `exe_${workflowId}-${status}-${days}`, workflowId, status, finishedAt: ago(days) }),
    ),
  );
  const left = async () =>
    (await query(service, "select id from executions where workflow_id = ? order by id", [workflowId])).map(({ id }) =>
      String(id).split("-").slice(-2).join(" "),
    );
  return { workflowId, left };
}

describe("a workflow's own periods", () => {
  test("apply in place of the deployment's, shorter and longer, each alone", async () => {
    const short = await workflowWith(
      [
        ["succeeded", 4],
        ["succeeded", 6],
        ["failed", 170],
        ["failed", 190],
      ],
      { executionDays: 5 },
    );
    const long = await workflowWith(
      [
        ["cancelled", 400],
        ["failed", 170],
        ["failed", 190],
      ],
      { executionDays: 500 },
    );
    const none = await workflowWith([
      ["succeeded", 80],
      ["succeeded", 100],
    ]);
    await pass();
    expect(await short.left()).toEqual(["failed 170", "succeeded 4"]);
    expect(await long.left()).toEqual(["cancelled 400", "failed 170"]);
    expect(await none.left()).toEqual(["succeeded 80"]);
  });

  test("that became shorter apply after 24 hours, and the answer says until when the former ones apply", async () => {
    const { workflowId, left } = await workflowWith([
      ["succeeded", 20],
      ["failed", 20],
    ]);
    const pending = await saved(workflowId, { executionDays: 10, failedDays: 200 });
    expect(pending.retention).toEqual({ executionDays: 10, failedDays: 200 });
    expect(pending.retentionFormer).toMatchObject({ executionDays: 90, failedDays: 180 });
    expect(Date.parse(pending.retentionFormer?.until ?? "")).toBeGreaterThan(Date.now() + DAY_MS - 60_000);
    await pass();
    expect(await left()).toEqual(["failed 20", "succeeded 20"]);
    await pass(1);
    expect(await left()).toEqual(["failed 20"]);
  });

  test("that became shorter can be taken back, and a removed longer one waits, too", async () => {
    const { workflowId, left } = await workflowWith([["succeeded", 100]], { executionDays: 300 });
    await saved(workflowId, null);
    await pass();
    expect(await left()).toEqual(["succeeded 100"]);
    expect((await saved(workflowId, { executionDays: 300 })).retentionFormer).toBeNull();
    await pass(2);
    expect(await left()).toEqual(["succeeded 100"]);
    await saved(workflowId, null);
    await pass(1.01);
    expect(await left()).toEqual([]);
  });

  test("are in the exported file, come back with the import, and stay with a restored workflow", async () => {
    const retention = { executionDays: 7, failedDays: 14 };
    const { id } = await createWorkflow(service, { retention });
    const file = await (await call(service, "GET", `/workflows/${id}/export`)).text();
    const back = await fetch(`${service.url}/api/v1/automation/workflows/import?dryRun=true`, {
      method: "POST",
      headers: { Authorization: `Bearer ${service.adminToken}`, "Content-Type": "application/yaml" },
      body: file,
    });
    expect((await dataOf(back, 200, importCheckSchema)).workflow?.retention).toEqual(retention);
    await call(service, "DELETE", `/workflows/${id}`);
    const restored = await dataOf(await call(service, "POST", `/workflows/${id}/restore`), 200, workflowSchema);
    expect(restored.retention).toEqual(retention);
  });

  test("are refused with their path when they are wrong, in a save and in a draft", async () => {
    const { id } = await createWorkflow(service);
    for (const isDraft of [false, true]) {
      for (const days of [0, -1, 1.5, 3_651, "7", null]) {
        for (const field of ["executionDays", "failedDays"]) {
          const answer = await call(service, "PUT", `/workflows/${id}`, {
            ...draft({ [field]: days }),
            draft: isDraft,
          });
          expect(await errorPathsOf(answer)).toEqual([`retention.${field}`]);
        }
      }
      for (const retention of [{}, 7, "7"]) {
        const answer = await call(service, "PUT", `/workflows/${id}`, { ...draft(retention), draft: isDraft });
        expect(await errorPathsOf(answer)).toEqual(["retention"]);
      }
    }
    expect(await errorPathsOf(await put(id, { auditDays: 5 }))).toEqual(["retention", "retention.auditDays"]);
  });

  test("have an audit entry with both choices, which no later save of the draft joins", async () => {
    const { id } = await createWorkflow(service);
    const save = (retention: unknown) => call(service, "PUT", `/workflows/${id}`, { ...draft(retention), draft: true });
    await save(null);
    await save({ failedDays: 3 });
    await save({ failedDays: 3 });
    const details = (await query(service, "select detail from audit_log where subject_id = ? order by id", [id])).map(
      ({ detail }) => JSON.parse(String(detail)),
    );
    expect(details.map(({ retention, retentionBefore }) => [retention, retentionBefore])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [{ failedDays: 3 }, {}],
      [undefined, undefined],
    ]);
  });
});

describe("a preview of a workflow's periods", () => {
  const preview = (search: string) => call(service, "GET", `/retention/preview?${search}`);

  test("counts its executions alone, with the deployment's period for one that is not given", async () => {
    const { workflowId } = await workflowWith([
      ["succeeded", 20],
      ["failed", 20],
      ["failed", 200],
    ]);
    await workflowWith([["succeeded", 20]]);
    const { kinds } = await dataOf(
      await preview(`workflowId=${workflowId}&executionDays=10`),
      200,
      retentionPreviewSchema,
    );
    expect(kinds).toEqual([{ kind: "executions", due: { rows: 2, isMore: false } }]);
  });

  test("is refused for an unknown workflow and with periods that no workflow has", async () => {
    await problemOf(await preview("workflowId=wf_none"), 404, "not_found");
    expect(await errorPathsOf(await preview("workflowId=wf_none&auditDays=5"))).toEqual(["auditDays"]);
    expect(await errorPathsOf(await preview("workflowId=wf_none&failedDays=0"))).toEqual(["failedDays"]);
  });
});

describe("deleting a workflow", () => {
  const remove = (id: string, search: string) => call(service, "DELETE", `/workflows/${id}${search}`);
  const count = async (table: string, id: string) =>
    Number(
      (
        await query(
          service,
          `select count(*) as n from ${table} where ${table === "deleted_workflows" ? "id" : "workflow_id"} = ?`,
          [id],
        )
      )[0]?.["n"],
    );

  test("deletes its executions a day later, unless they are to be kept by retention", async () => {
    for (const [search, kept] of [
      ["", []],
      ["?executions=delete", []],
      ["?executions=keep", ["succeeded 80"]],
    ] as const) {
      const { workflowId, left } = await workflowWith([["succeeded", 80]]);
      expect((await remove(workflowId, search)).status).toBe(200);
      await pass();
      expect(await left()).toEqual(["succeeded 80"]);
      await pass(1.01);
      expect({ search, left: await left() }).toEqual({ search, left: [...kept] });
    }
  });

  test("and keeping its executions deletes the rest with the last of them, by the workflow's own period", async () => {
    const { workflowId, left } = await workflowWith([["succeeded", 4]], { executionDays: 10 });
    expect((await call(service, "POST", `/workflows/${workflowId}/publish`)).status).toBe(200);
    await remove(workflowId, "?executions=keep");
    await pass(5);
    expect([await left(), await count("workflow_versions", workflowId)]).toEqual([["succeeded 4"], 1]);
    expect((await call(service, "GET", `/executions/exe_${workflowId}-succeeded-4`)).status).toBe(200);
    await pass(7);
    expect([await left(), await count("workflow_versions", workflowId)]).toEqual([[], 0]);
    expect(await count("deleted_workflows", workflowId)).toBe(0);
  });

  test("with another choice is refused with its path, and deletes nothing", async () => {
    const { id } = await createWorkflow(service);
    for (const choice of ["", "all", "true"])
      expect(await errorPathsOf(await remove(id, `?executions=${choice}`))).toEqual(["executions"]);
    expect((await call(service, "GET", `/workflows/${id}`)).status).toBe(200);
  });

  test("leaves its audit entries, and the entry of the deletion says what becomes of the executions", async () => {
    const { id } = await createWorkflow(service);
    await remove(id, "?executions=keep");
    await pass(1.01);
    const entries = await query(service, "select verb, detail from audit_log where subject_id = ? order by id", [id]);
    expect(entries.map(({ verb }) => verb)).toEqual(["create", "delete"]);
    expect(JSON.parse(String(entries[1]?.["detail"]))).toMatchObject({ executions: "keep" });
  });

  test("is refused to those who may not edit", async () => {
    const { id } = await createWorkflow(service);
    const viewer = await signedIn(service, await createUser(service, { role: "viewer" }));
    expect((await viewer.call("DELETE", `/api/v1/automation/workflows/${id}?executions=keep`)).status).toBe(403);
  });
});
