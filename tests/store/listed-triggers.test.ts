import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import { executionTriggerSchema } from "../../schema/contract/execution.ts";
import { listExecutions } from "../../worker/store/execution-reads.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { write } from "../support/old-records.ts";
import { testDeps } from "../support/test-deps.ts";

let service: Service;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

const SMALL = "x".repeat(1_000);
const LARGE = "x".repeat(40_000);
const batch = [{ title: LARGE }];
const FILTER = {
  workflowId: undefined,
  status: undefined,
  trigger: undefined,
  started: { from: undefined, to: undefined },
  ids: { from: undefined, before: undefined },
};

test.each<[string, ExecutionTrigger, ExecutionTrigger]>([
  ["webhook", { type: "webhook", variables: { text: SMALL } }, { type: "webhook", variables: { text: SMALL } }],
  ["large webhook", { type: "webhook", variables: { body: LARGE } }, { type: "webhook", variables: {} }],
  [
    "large run by hand",
    { type: "manual", variables: { text: LARGE }, by: "user:a", sensitive: ["text"] },
    { type: "manual", variables: {}, by: "user:a", sensitive: ["text"] },
  ],
  [
    "incident with events that joined",
    { type: "incident", incident: { title: "a", description: SMALL, batch } },
    { type: "incident", incident: { title: "a", description: SMALL } },
  ],
  [
    "large incident",
    { type: "incident", incident: { title: "a", description: LARGE, tags: { a: "b" }, batch } },
    { type: "incident", incident: { title: "a" } },
  ],
  [
    "failed run of a large incident",
    { type: "failure", failed: { workflow: { name: "a" }, incident: { description: LARGE } } },
    { type: "failure", failed: { workflow: { name: "a" } } },
  ],
])("a list shows the trigger of a %s without what makes it large", async (_, trigger, shown) => {
  const { db } = testDeps(service.libsql.url);
  await write(service, [
    "delete from executions",
    {
      sql: `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at)
        values ('exe_1', 'wf_1', 'wfv_1', 'succeeded', ?, 'a', 1, 0)`,
      args: [JSON.stringify(trigger)],
    },
  ]);
  const [row] = await listExecutions(db, FILTER, { beforeId: null, limit: 10 });
  expect(executionTriggerSchema.parse(row?.trigger)).toEqual(shown);
});
