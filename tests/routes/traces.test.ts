import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { isSampled, spanIdOf, traceIdOf } from "../../worker/domain/trace/trace-ids.ts";
import { newId } from "../../worker/services/ids.ts";
import { success } from "../support/agent-client.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { acceptedId, createWebhookWorkflow } from "../support/management.ts";
import { startTraced } from "../support/traced-bench.ts";
import type { TracedBench } from "../support/traced-bench.ts";
import { failure, x } from "../support/working-agent.ts";

/** Traces of runs, through real HTTP, workerd and libSQL, with a fake agent and a strict receiver. */
const TOKEN = "otlp-token-0f-the-receiver";
const SECRET = "a-value-0f-the-run";
let traced: TracedBench;

beforeAll(async () => {
  traced = await startTraced({
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${TOKEN}`,
    OTEL_SERVICE_NAME: "bellhop-test",
  });
});
afterAll(() => traced[Symbol.asyncDispose]());
afterEach(() => traced.forget());

describe("a trace", () => {
  test("is sent once, with the headers, and its id is the execution's", async () => {
    const { receiver } = traced;
    const id = await traced.ran();
    await traced.tick();
    await traced.tick();
    expect(receiver.requests.map(({ path, headers }) => [path, headers.get("authorization")])).toEqual([
      ["/v1/traces", `Bearer ${TOKEN}`],
    ]);
    const [root] = receiver.named("a workflow");
    expect(root).toMatchObject({
      traceId: traceIdOf(id),
      spanId: spanIdOf(id),
      service: "bellhop-test",
      attributes: { "bellhop.execution.id": id, "bellhop.execution.trigger": "manual" },
    });
    expect(root?.parentSpanId).toBeUndefined();
    for (const span of receiver.spans) expect(span.traceId).toBe(traceIdOf(id));
    expect(await traced.queued()).toEqual([]);
  });

  test("does not continue the one of a caller", async () => {
    const { bench, receiver } = traced;
    const webhook = await createWebhookWorkflow(bench.bellhop, { nodes: [bench.action("act")], edges: [] });
    const given = "01987a3b1c2d7e4f8a5b0123456789ab";
    const headers = { traceparent: `00-${given}-8a5b0123456789ab-00`, tracestate: "other=1" };
    const id = await acceptedId(await webhook.ring({ variables: {} }, headers));
    await bench.ended(id);
    await traced.tick();
    expect(receiver.named("act").map(({ traceId }) => traceId)).toEqual([traceIdOf(id)]);
    expect(bench.agent.jobs.map(({ traceparent }) => traceparent?.includes(given))).toEqual([false]);
    for (const { body } of receiver.requests) expect(body).not.toContain(given);
  });

  test("gives each job the context of its span", async () => {
    const { bench, receiver } = traced;
    const id = await traced.ran();
    await traced.tick();
    const [span] = receiver.named("script.bash");
    expect(bench.agent.jobs.map(({ traceparent }) => traceparent)).toEqual([`00-${traceIdOf(id)}-${span?.spanId}-01`]);
  });

  test("has no value, output or message of the run", async () => {
    const { bench, receiver } = traced;
    bench.agent.does((job) => failure(job, `it failed with ${SECRET}`));
    await traced.ran(SECRET);
    await traced.tick();
    expect(receiver.named("act")).toMatchObject([{ status: { code: 2, message: "nonzero_exit" } }]);
    expect(receiver.named("a workflow")).toMatchObject([{ status: { code: 2, message: "nonzero_exit" } }]);
    for (const { body } of receiver.requests) {
      expect(body).not.toContain(SECRET);
      expect(body).not.toContain("script.bash failed");
    }
  });

  test("of a retry links to the run that it repeats", async () => {
    const { bench, receiver } = traced;
    bench.agent.does((job) => failure(job));
    const id = await traced.ran();
    bench.agent.does((job) => success(job));
    const again = await bench.retry(id, { from: "failed" });
    await bench.ended(again);
    await traced.tick();
    const root = receiver.spans.find(({ spanId }) => spanId === spanIdOf(again));
    expect(root).toMatchObject({
      traceId: traceIdOf(again),
      links: [{ traceId: traceIdOf(id), spanId: spanIdOf(id) }],
    });
  });

  test("of a failure workflow links to the failed run that started it", async () => {
    const { bench, receiver } = traced;
    bench.agent.does((job) => (x(job) === "broken" ? failure(job) : success(job)));
    const repair = await bench.publish({ nodes: [bench.action("repair")], edges: [] }, { type: "failure" });
    await bench.call("POST", `/workflows/${repair}/activate`);
    const failed = await traced.ran("broken");
    const id = await eventually("the failure workflow to start", async () => {
      const [row] = await query(bench.bellhop, "select id from executions where workflow_id = ?", [repair]);
      return row?.["id"] ?? null;
    });
    await bench.ended(String(id));
    await bench.call("POST", `/workflows/${repair}/deactivate`);
    await traced.tick();
    expect(receiver.spans.find(({ spanId }) => spanId === spanIdOf(String(id)))).toMatchObject({
      attributes: { "bellhop.execution.trigger": "failure", "bellhop.execution.failed": failed },
      links: [{ traceId: traceIdOf(failed), spanId: spanIdOf(failed) }],
    });
  });

  test("of a run whose workflow is deleted has the workflow's name", async () => {
    const { bench, receiver } = traced;
    const id = await traced.ran();
    const [row] = await query(bench.bellhop, "select workflow_id from executions where id = ?", [id]);
    await bench.call("DELETE", `/workflows/${String(row?.["workflow_id"])}`);
    await traced.tick();
    expect(receiver.named("a workflow").map(({ traceId }) => traceId)).toEqual([traceIdOf(id)]);
  });

  test("of an execution that was deleted is left out, and the others are sent", async () => {
    const { bench, receiver } = traced;
    const unreadable = await traced.total("traces:unreadable");
    await query(bench.bellhop, "insert into trace_queue (execution_id) values (?)", [newId("execution", Date.now())]);
    const id = await traced.ran();
    await traced.tick();
    expect(receiver.named("a workflow").map(({ traceId }) => traceId)).toEqual([traceIdOf(id)]);
    expect(await traced.queued()).toEqual([]);
    expect((await traced.total("traces:unreadable")) - unreadable).toBe(1);
  });
});

describe("with a share of half the runs", () => {
  let half: TracedBench;
  beforeAll(async () => {
    half = await startTraced({ OTEL_TRACES_SAMPLER_ARG: "0.5" });
  });
  afterAll(() => half[Symbol.asyncDispose]());

  test("the ids decide which ones are sent, and the flag of each job says so", async () => {
    const { bench, receiver } = half;
    const workflow = await bench.publish({ nodes: [bench.action("act")], edges: [] });
    const ids = await Promise.all(Array.from({ length: 24 }, () => bench.execute(workflow)));
    await Promise.all(ids.map((id) => bench.ended(id)));
    await half.tick();
    const chosen = ids.map(traceIdOf).filter((id) => isSampled(id, 0.5));
    expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set(chosen));
    const flagged = bench.agent.jobs.map(({ traceparent = "" }) => traceparent.split("-"));
    expect(
      flagged
        .filter(([, , , flag]) => flag === "01")
        .map(([, id]) => String(id))
        .toSorted(),
    ).toEqual(chosen.toSorted());
    expect(flagged).toHaveLength(ids.length);
  }, 60_000);
});

describe("without an address", () => {
  let off: TracedBench;
  beforeAll(async () => {
    off = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: "" });
  });
  afterAll(() => off[Symbol.asyncDispose]());

  test("nothing is queued or sent, and jobs have no context", async () => {
    const { bench, receiver } = off;
    await bench.ended(await bench.run({ nodes: [bench.action("act")], edges: [] }));
    expect(await off.queued()).toEqual([]);
    await off.tick();
    expect(receiver.requests).toEqual([]);
    expect(bench.agent.jobs.map(({ traceparent }) => traceparent)).toEqual([undefined]);
  });
});
