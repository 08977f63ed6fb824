import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { workflowSchema } from "../../schema/contract/management.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { openDatabase } from "../../worker/store/database.ts";
import { findLastExecutions } from "../../worker/store/execution-reads.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { ended } from "../support/management.ts";
import { DELAY_DEFINITION, call, createWorkflow, dataOf, pageOf, verb } from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const draft = { trigger: { type: "manual" }, definition: DELAY_DEFINITION };
const published = async (name: string) => {
  const { id } = await createWorkflow(bellhop, { ...draft, name });
  return verb(bellhop, id, "publish");
};
const execute = async (id: string) =>
  (await dataOf(await call(bellhop, "POST", `/workflows/${id}/execute`, {}), 201, triggerAnswerSchema)).executionId;
const get = (id: string, headers: Record<string, string> = {}) =>
  bellhop.api("GET", `/api/v1/automation/workflows/${id}`, undefined, headers);
const lastOf = async (id: string) => (await dataOf(await get(id), 200, workflowSchema)).lastExecution;
const tagOf = async (id: string) => (await get(id)).headers.get("ETag") ?? "";

test("a workflow shows its newest execution: none, one that waits, a finished one", async () => {
  const { id, lastExecution } = await published("once");
  expect(lastExecution).toBeNull();
  const first = await execute(id);
  expect(await lastOf(id)).toMatchObject({ id: first, status: "running", isWaiting: true, finishedAt: null });
  const second = await execute(id);
  await call(bellhop, "POST", `/executions/${second}/cancel`);
  const { startedAt, finishedAt } = await ended(bellhop, second);
  expect(await lastOf(id)).toEqual({ id: second, status: "cancelled", isWaiting: false, startedAt, finishedAt });
  // The response of every verb has the same execution.
  expect((await verb(bellhop, id, "activate")).lastExecution?.id).toBe(second);
});

test("a list has the newest execution of each of its workflows, and of no other", async () => {
  const [a, b, never] = [await published("a"), await published("b"), await published("never")];
  await execute(a.id);
  const [ofB, ofA] = [await execute(b.id), await execute(a.id)];
  const { items } = await pageOf(await call(bellhop, "GET", "/workflows?limit=3"), workflowSchema);
  expect(items.map(({ id, lastExecution }) => [id, lastExecution?.id, lastExecution?.isWaiting])).toEqual([
    [never.id, undefined, undefined],
    [b.id, ofB, true],
    [a.id, ofA, true],
  ]);
});

test("an execution is no edit: the tag for If-Match stays, the one for If-None-Match changes", async () => {
  const { id } = await published("edited meanwhile");
  const seen = await tagOf(id);
  await execute(id);
  expect((await get(id, { "If-None-Match": seen })).status).toBe(200);
  const response = await bellhop.api(
    "PUT",
    `/api/v1/automation/workflows/${id}`,
    { ...draft, name: "edited" },
    { "If-Match": seen },
  );
  expect(response.status).toBe(200);
});

test("the newest executions of a page take index seeks only, in a database of any size", async () => {
  const db = openDatabase({ url: bellhop.libsql.url });
  const { sql, params } = statement.parse(Object(findLastExecutions(db, ["wf_a", "wf_b"])).toSQL());
  const rows = await query(bellhop, `explain query plan ${sql}`, params);
  const plan = rows.map((row) => String(row["detail"])).join("; ");
  expect(plan).toContain("SEARCH executions USING INDEX sqlite_autoindex_executions_1 (id=?)");
  expect(plan).toContain("SEARCH e USING COVERING INDEX executions_by_workflow (workflow_id=?)");
  expect(plan).not.toMatch(/SCAN (?!w\b)/u);
});
const statement = z.object({ sql: z.string(), params: z.array(z.string()) });
