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
  receiver.answers = null;
  await write(
    service,
    TABLES.map((table) => `delete from ${table}`),
  );
});

const pass = (now = Date.now) =>
  sendTraces(testDeps(service.libsql.url, { now, settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } }));
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
    { sql: "insert into trace_queue (execution_id) values (?)", args: [id] },
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

/** The receiver takes so many requests, then answers with this status. */
function takes(requests: number, status: number): void {
  let taken = 0;
  receiver.answers = () => {
    taken += 1;
    return taken > requests ? new Response(null, { status }) : undefined;
  };
}
/** Lets the next pass begin at once after a failure. */
const again = () => query(service, "update trace_progress set not_before = 0");
const spanIds = () => new Set(receiver.spans.map(({ spanId }) => spanId));

test("what the receiver took before a failure is settled, and the rest of an execution is sent later", async () => {
  await queued(1);
  await queued(1_500);
  takes(2, 503);
  await pass();
  expect(await counts()).toEqual({ "traces:sent": 1 });
  expect(receiver.spans).toHaveLength(1_002);
  await again();
  receiver.answers = null;
  await pass();
  expect(await counts()).toEqual({ "traces:sent": 2 });
  expect([receiver.spans.length, spanIds().size]).toEqual([1_503, 1_503]);
});

test("a receiver that takes one request in each pass gets everything, each span once", async () => {
  const ids = [await queued(1_800), await queued(900), await queued(900)];
  for (let passes = 0; passes < 4; passes += 1) {
    takes(1, 429);
    await pass();
    const [progress] = await query(service, "select failures from trace_progress");
    expect(Number(progress?.["failures"])).toBeLessThanOrEqual(1);
    await again();
  }
  receiver.answers = null;
  await pass();
  expect(await counts()).toEqual({ "traces:sent": 3 });
  expect([receiver.spans.length, spanIds().size]).toEqual([3_603, 3_603]);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set(ids.map(traceIdOf)));
});

test("requests are smaller after failures, for a receiver that is too slow for large ones", async () => {
  await queued(1_500);
  receiver.answers = ({ body }) =>
    body.split(`"spanId"`).length > 300 ? new Response(null, { status: 504 }) : undefined;
  for (let passes = 0; passes < 40 && (await counts())["traces:sent"] === undefined; passes += 1) {
    await pass();
    await again();
  }
  expect(await counts()).toEqual({ "traces:sent": 1 });
  expect([receiver.spans.length, spanIds().size]).toEqual([1_501, 1_501]);
});

test.each([400, 403, 413])("an execution that is refused with %d alone is dropped, and no other", async (status) => {
  const ids: string[] = [];
  for (let index = 0; index < 12; index += 1) ids.push(await queued());
  const refused = ids.splice(7, 1).map(traceIdOf);
  receiver.answers = ({ body }) => (body.includes(String(refused)) ? new Response(null, { status }) : undefined);
  await pass();
  expect(await counts()).toEqual({ "traces:refused": 1, "traces:sent": 11 });
  expect(receiver.named("wf_1").map(({ traceId }) => traceId)).toEqual(ids.map(traceIdOf));
  expect(await query(service, "select * from trace_queue")).toEqual([]);
  expect(await query(service, "select failing_since from trace_progress")).toEqual([{ failing_since: null }]);
});

test("of an execution that is refused in its second request, the spans of the first one count as sent", async () => {
  await queued(1_500);
  takes(1, 400);
  await pass();
  expect(await query(service, "select value from totals where name = 'spans:sent'")).toEqual([{ value: 1_000 }]);
  expect(await counts()).toEqual({ "traces:refused": 1 });
});

test("a request has at most 800,000 bytes of spans, also with long names of nodes", async () => {
  await queued(900);
  await query(service, "update node_runs set node_id = ?", ["\u754c".repeat(500)]);
  await pass();
  expect(receiver.requests).toHaveLength(4);
  for (const { body } of receiver.requests) expect(Buffer.byteLength(body)).toBeLessThan(801_000);
  expect(await counts()).toEqual({ "traces:sent": 1 });
});

test("a pass begins no request after 20 s", async () => {
  let clock = Date.now();
  for (let index = 0; index < 4; index += 1) await queued(900);
  receiver.answers = () => {
    clock += 15_000;
    return undefined;
  };
  await pass(() => clock);
  expect(receiver.requests).toHaveLength(2);
  expect(await counts()).toEqual({ "traces:sent": 2 });
});

test("a cut trace has the node runs outside of iterations first, then the first items", async () => {
  const at = Date.now();
  await queued(0);
  const [row] = await query(service, "select id from executions");
  const runs: [string, string][] = [
    ["z-each", ""],
    ["z-after", ""],
  ];
  for (let item = 0; item < 700; item += 1) for (const step of ["a", "b", "c"]) runs.push([step, String(item)]);
  await write(
    service,
    runs.map(([nodeId, path], index) => ({
      sql: `insert into node_runs (id, execution_id, node_id, iteration_path, status, started_at, finished_at)
        values (?, ?, ?, ?, 'succeeded', ?, ?)`,
      args: [newId("nodeRun", at + index), String(row?.["id"]), nodeId, path, at - 5, at],
    })),
  );
  await pass();
  const named = (name: string) => receiver.named(name).length;
  expect(["z-each", "z-after", "a", "b", "c"].map(named)).toEqual([1, 1, 666, 666, 666]);
});

test("nothing counts as failing when the queue is empty", async () => {
  await queued();
  takes(0, 401);
  await pass();
  const failing = () => query(service, "select failures, failing_since is null as works from trace_progress");
  expect(await failing()).toEqual([{ failures: 1, works: 0 }]);
  expect(await counts()).toEqual({ "traces:refused": 1 });
  await pass();
  expect(await failing()).toEqual([{ failures: 0, works: 1 }]);
});

test("a deployment that no longer sends traces has no queue and no failure", async () => {
  await queued();
  takes(0, 503);
  await pass();
  await sendTraces(testDeps(service.libsql.url));
  for (const table of ["trace_queue", "trace_progress"])
    expect(await query(service, `select * from ${table}`)).toEqual([]);
});
