import { afterAll, beforeAll, expect, test } from "bun:test";
import { retentionSchema } from "../../schema/contract/retention.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { executionsOf } from "../support/incidents.ts";
import { call, createWorkflow, dataOf, makeWebhookKey, problemOf, verb } from "../support/management-api.ts";
import { DAY_MS, PARTS, oldExecution, write } from "../support/old-records.ts";
import { SUCCEEDS } from "../support/schedules.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const count = async (table: string) => Number((await query(bellhop, `select count(*) as n from ${table}`))[0]?.["n"]);

test("a service that is stopped in the middle of a pass ends it later: what is due goes as a whole, the rest stays as it was", async () => {
  const { id: workflowId } = await createWorkflow(bellhop);
  const ids = Array.from({ length: 2_000 }, (_, index) => `exe_old-${index}`);
  const finishedAt = Date.now() - 100 * DAY_MS;
  const kept = { id: "exe_kept", workflowId, finishedAt: Date.now() - DAY_MS };
  for (let from = 0; from < ids.length; from += 250) {
    const some = ids.slice(from, from + 250);
    await write(
      bellhop,
      some.flatMap((id) => oldExecution({ id, workflowId, finishedAt })),
    );
  }
  await write(bellhop, oldExecution(kept));

  const broken = bellhop.worker.tick().catch(() => "broken");
  await eventually("the pass to begin", async () => (await count("executions")) < ids.length || null);
  await bellhop.restartWorker();
  await broken;
  // No reader meets a part of an execution.
  const [whole] = await query(
    bellhop,
    "select count(*) as n from executions e where (select count(*) from node_runs n where n.execution_id = e.id) <> 2",
  );
  expect(Number(whole?.["n"])).toBe(0);
  await eventually("everything due to be gone", async () => {
    await bellhop.worker.tick();
    return (await count("executions")) === 1 && (await count("removed_executions")) === 0 ? true : null;
  });
  for (const table of PARTS)
    expect(await count(table)).toBe(table === "execution_events" || table === "node_runs" ? 2 : 1);
  expect(await count("stale_results")).toBe(1);

  const { kinds, lastPass } = await dataOf(await call(bellhop, "GET", "/retention"), 200, retentionSchema);
  expect(kinds.find(({ kind }) => kind === "executions")?.deleted).toBe(ids.length);
  expect(lastPass?.rows).toBeGreaterThan(0);
}, 60_000);

test("a repeat of a webhook starts nothing after its execution was deleted, and a retry of that execution is unknown", async () => {
  const { id } = await createWorkflow(bellhop, { definition: SUCCEEDS });
  const key = await makeWebhookKey(bellhop, id);
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  const repeated = () =>
    fetch(`${bellhop.url}/api/v1/automation/webhooks/${key.webhookKey}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key.webhookSecret}`, "X-Idempotency-Key": "alert-1" },
    });
  expect((await repeated()).status).toBe(200);
  const [execution] = await eventually("the execution to end", async () => {
    const found = await executionsOf(bellhop, id);
    return found.length === 1 && found[0]?.status === "succeeded" ? found : null;
  });
  await query(bellhop, "update executions set finished_at = 1 where workflow_id = ?", [id]);
  await bellhop.worker.tick();
  expect(await executionsOf(bellhop, id)).toEqual([]);
  expect((await repeated()).status).toBe(200);
  await bellhop.worker.tick();
  expect(await executionsOf(bellhop, id)).toEqual([]);
  await problemOf(await call(bellhop, "POST", `/executions/${execution?.id}/retry`, {}), 404, "not_found");
});
