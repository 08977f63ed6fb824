import "../../support/quiet-log.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { traceIdOf } from "../../../worker/domain/trace/trace-ids.ts";
import { newId } from "../../../worker/services/ids.ts";
import { sendTraces } from "../../../worker/services/traces/send-traces.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { write } from "../../support/old-records.ts";
import { startOtlpReceiver } from "../../support/otlp-receiver.ts";
import type { OtlpReceiver } from "../../support/otlp-receiver.ts";
import { testDeps } from "../../support/test-deps.ts";

/** Passes over executions that are in the database as rows alone. */
const VERSION = newId("workflowVersion", Date.now());
const TABLES = ["executions", "node_runs", "trace_queue", "trace_progress", "totals"];
let service: Service;
let receiver: OtlpReceiver;

beforeAll(async () => {
  service = await startApp();
  receiver = startOtlpReceiver();
  await write(service, [
    {
      sql: `insert into workflow_versions (id, workflow_id, number, trigger, definition, published_at, published_by)
        values (?, 'wf_1', 1, '{"type":"manual"}', '{"nodes":[],"edges":[]}', 1, 'test')`,
      args: [VERSION],
    },
  ]);
});
afterAll(() => Promise.all([service.stop(), receiver.stop()]));
beforeEach(async () => {
  receiver.spans.length = 0;
  receiver.requests.length = 0;
  await write(
    service,
    TABLES.map((table) => `delete from ${table}`),
  );
});

const pass = () =>
  sendTraces(testDeps(service.libsql.url, { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } }));
const counts = async () => {
  const rows = await query(service, "select name, value from totals where name like 'traces:%' order by name");
  return Object.fromEntries(rows.map(({ name, value }) => [String(name), value]));
};

/** An ended execution in the queue, with so many node runs. */
async function queued(nodeRuns = 1, versionId = VERSION): Promise<string> {
  const at = Date.now();
  const id = newId("execution", at);
  await write(service, [
    {
      sql: `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at, finished_at)
        values (?, 'wf_1', ?, 'succeeded', '{"type":"manual"}', ?, 2, ?, ?)`,
      args: [id, versionId, id, at - 10, at],
    },
    { sql: "insert into trace_queue values (?)", args: [id] },
    ...Array.from({ length: nodeRuns }, (_, index) => ({
      sql: `insert into node_runs (id, execution_id, node_id, iteration_path, status, started_at, finished_at)
        values (?, ?, 'step', ?, 'succeeded', ?, ?)`,
      args: [newId("nodeRun", at), id, String(index), at - 5, at],
    })),
  ]);
  return id;
}

test("an execution with too many node runs has a cut trace, and those beside it whole ones", async () => {
  const [small, large, other] = [await queued(2), await queued(2_100), await queued(3)];
  await pass();
  const spansOf = (id: string) => receiver.spans.filter(({ traceId }) => traceId === traceIdOf(id));
  expect([small, large, other].map((id) => spansOf(id).length)).toEqual([3, 2_001, 4]);
  const cut = receiver.named("wf_1").map(({ attributes }) => attributes["bellhop.cut"]);
  expect(cut.toSorted()).toEqual([true, undefined, undefined]);
  expect(receiver.problems).toEqual([]);
  expect(await counts()).toEqual({ "traces:sent": 3 });
});

test("an execution whose spans cannot be made keeps no other back", async () => {
  await queued(1, "wfv_gone");
  const id = await queued();
  await pass();
  expect(receiver.named("wf_1").map(({ traceId }) => traceId)).toEqual([traceIdOf(id)]);
  expect(await counts()).toEqual({ "traces:sent": 1, "traces:unreadable": 1 });
});

test("two passes at the same time send each execution once", async () => {
  for (let index = 0; index < 60; index += 1) await queued();
  await Promise.all([pass(), pass(), pass()]);
  expect(receiver.named("wf_1")).toHaveLength(60);
  expect(await counts()).toEqual({ "traces:sent": 60 });
});

test("after a failure in the middle everything of the portion is sent again, with the same ids", async () => {
  await queued(1_500);
  receiver.answers = () => (receiver.requests.length === 2 ? new Response(null, { status: 503 }) : Response.json({}));
  await pass();
  expect(await counts()).toEqual({});
  await query(service, "update trace_progress set not_before = 0");
  await pass();
  receiver.answers = null;
  const [first, , again] = receiver.requests.map(({ body }) => body);
  expect(receiver.requests).toHaveLength(4);
  expect(again).toBe(first ?? "");
  expect(await counts()).toEqual({ "traces:sent": 1 });
});
