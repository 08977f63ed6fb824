import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { armWebhook, callWebhook, configureGate, storeWorkflow, triggered } from "../support/webhooks.ts";
import { query } from "../support/database.ts";
import { onlyOnOurServer } from "../support/test-database.ts";

const WITHIN_MS = 60_000;

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

describe("invariant 1: an accepted webhook is never lost and never started twice", () => {
  test(
    "200 webhooks sent while libSQL is down, across a crash of the Worker, start 200 executions when it is back",
    async () => {
      const workflow = await storeWorkflow(bellhop);
      const webhooks = await Promise.all(Array.from({ length: 5 }, () => armWebhook(bellhop, workflow)));
      const sendTo = (round: number) =>
        Promise.all(
          webhooks.flatMap((webhook) =>
            Array.from({ length: 20 }, (_, i) =>
              triggered(callWebhook(bellhop, webhook, { body: JSON.stringify({ variables: { round, i } }) })),
            ),
          ),
        );
      await bellhop.stopLibsql();
      const before = await sendTo(1);
      await bellhop.restartWorker();
      const after = await sendTo(2);
      await bellhop.startLibsql();

      const ids = [...before, ...after].map((answer) => answer.executionId);
      expect(new Set(ids).size).toBe(200);
      await eventually(
        "200 executions",
        async () => (await executionsOf(workflow.workflowId)).length >= 200,
        WITHIN_MS,
      );
      const rows = await executionsOf(workflow.workflowId);
      expect(rows.map((row) => String(row.id))).toEqual(ids.toSorted());
      const startedAt = new Map([...before, ...after].map((answer) => [answer.executionId, answer.startedAt]));
      for (const row of rows) {
        expect(new Date(Number(row.started_at)).toISOString()).toBe(startedAt.get(String(row.id)) ?? "");
      }
    },
    WITHIN_MS * 2,
  );

  test(
    "an accepted webhook runs the version of that moment, although its workflow is unpublished before it starts",
    async () => {
      const workflow = await storeWorkflow(bellhop);
      const webhook = await armWebhook(bellhop, workflow);
      await bellhop.stopLibsql();
      const body = '{"variables":{"config":{"timeout":30},"tags":["a"]},"more":1}';
      const { executionId } = await triggered(callWebhook(bellhop, webhook, { body }));
      await configureGate(bellhop, webhook, { versionId: null, active: false });
      await configureGate(bellhop, webhook, { revoked: true });
      await bellhop.startLibsql();
      const [row] = await eventually("its execution", async () => {
        const rows = await executionsOf(workflow.workflowId);
        return rows.length > 0 ? rows : null;
      });
      expect(row).toMatchObject({ id: executionId, version_id: workflow.versionId, webhook_key: webhook.webhookKey });
      expect(JSON.parse(String(row?.trigger))).toEqual({
        type: "webhook",
        variables: { config: { timeout: 30 }, tags: ["a"] },
      });
    },
    WITHIN_MS,
  );

  test("a payload of 1 MiB with a much larger parsed form starts an execution, too", async () => {
    const workflow = await storeWorkflow(bellhop);
    const body = `{"variables":{"a":[${"1e20,".repeat(200_000)}1]}}`;
    await triggered(callWebhook(bellhop, await armWebhook(bellhop, workflow), { body }));
    await eventually("its execution", async () => (await executionsOf(workflow.workflowId)).length === 1);
  });

  test("an execution begins without another call", async () => {
    const workflow = await storeWorkflow(bellhop);
    await triggered(callWebhook(bellhop, await armWebhook(bellhop, workflow)));
    await eventually("its execution", async () => (await executionsOf(workflow.workflowId)).length === 1);
  });
});

describe("a webhook's gate", () => {
  onlyOnOurServer("only our server counts its statements")(
    "needs no libSQL once the secret was verified, nor to answer a duplicate with the present status",
    async () => {
      const workflow = await storeWorkflow(bellhop);
      const webhook = await armWebhook(bellhop, workflow);
      const first = await triggered(callWebhook(bellhop, webhook));
      const last = await eventually("the execution's end", async () => {
        const answer = await triggered(callWebhook(bellhop, webhook));
        return answer.status === "running" ? null : answer;
      });
      expect(last).toEqual({ ...first, status: "succeeded", deduplicated: true });
      const statements = bellhop.libsql.statementCount();
      for (let i = 0; i < 20; i += 1) expect(await triggered(callWebhook(bellhop, webhook))).toEqual(last);
      await bellhop.restartWorker();
      expect(await triggered(callWebhook(bellhop, webhook))).toEqual(last);
      expect(bellhop.libsql.statementCount()).toBe(statements);
    },
  );
});

function executionsOf(workflowId: string) {
  return query(bellhop, "SELECT * FROM executions WHERE workflow_id = ? ORDER BY id", [workflowId]);
}
