import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { FULL } from "../support/full.ts";
import { startTraced } from "../support/traced-bench.ts";
import type { TracedBench } from "../support/traced-bench.ts";

/** Receivers of traces that are slow, hostile or full, and the queue in front of them. */
let traced: TracedBench;

beforeAll(async () => {
  traced = await startTraced();
});
afterAll(() => traced[Symbol.asyncDispose]());
afterEach(() => traced.forget());

describe("a receiver", () => {
  test("that does not answer delays no run", async () => {
    const { receiver } = traced;
    await traced.ran();
    const { promise, resolve } = Promise.withResolvers<void>();
    receiver.answers = () => promise.then(() => Response.json({}));
    const tick = traced.tick();
    await eventually("the spans to be sent", () => receiver.requests.length > 0);
    await traced.ran();
    resolve();
    await tick;
    expect(await traced.total("traces:sent")).toBeGreaterThan(0);
  });

  test.skipIf(!FULL)(
    "that does not answer delays a tick no longer than its limit",
    async () => {
      const { receiver } = traced;
      const id = await traced.ran();
      receiver.answers = () => new Promise<never>(() => undefined);
      const began = performance.now();
      await traced.tick();
      expect(performance.now() - began).toBeLessThan(25_000);
      expect(await traced.queued()).toEqual([id]);
    },
    30_000,
  );

  test.each([429, 502, 503, 504])(
    "that answers %d gets the spans again, not before its Retry-After",
    async (status) => {
      const { bench, receiver } = traced;
      const id = await traced.ran();
      receiver.answers = () => new Response(null, { status, headers: { "Retry-After": "600" } });
      const before = Date.now();
      await traced.tick();
      const [progress] = await query(bench.bellhop, "select * from trace_progress");
      expect(Number(progress?.["not_before"]) - before).toBeGreaterThanOrEqual(600_000);
      expect(progress).toMatchObject({ failures: 1, error: `The receiver answered ${status}.` });
      receiver.answers = null;
      await bench.bellhop.worker.tick();
      expect(receiver.spans).toEqual([]);
      expect(await traced.queued()).toEqual([id]);
      await traced.tick();
      expect(receiver.named("act")).toHaveLength(1);
      expect(await query(bench.bellhop, "select failures, failing_since, error from trace_progress")).toEqual([
        { failures: 0, failing_since: null, error: null },
      ]);
    },
  );

  test.each([
    ["400", () => new Response(null, { status: 400 })],
    ["401", () => new Response(null, { status: 401 })],
    ["500", () => new Response(null, { status: 500 })],
    ["a redirect", () => Response.redirect("/elsewhere", 307)],
  ])("that answers %s does not get the spans again, and they are counted", async (_, answer) => {
    const { receiver } = traced;
    const refused = await traced.total("traces:refused");
    await traced.ran();
    receiver.answers = answer;
    await traced.tick();
    receiver.answers = null;
    await traced.tick();
    expect(receiver.requests.map(({ path }) => path)).toEqual(["/v1/traces"]);
    expect((await traced.total("traces:refused")) - refused).toBe(1);
  });

  test("that cannot be reached gets the spans later, after a time that doubles up to a quarter of an hour", async () => {
    const { bench, receiver } = traced;
    await traced.ran();
    receiver.answers = () => new Response(null, { status: 503, headers: { "Retry-After": "soon" } });
    const pauses: number[] = [];
    for (let failures = 1; failures <= 7; failures += 1) {
      const before = Date.now();
      await traced.tick();
      const [row] = await query(bench.bellhop, "select not_before from trace_progress");
      pauses.push(Math.floor((Number(row?.["not_before"]) - before) / 30_000) * 30);
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900]);
  });

  test("that keeps only a part says so, and the rest is not sent again", async () => {
    const { receiver } = traced;
    const [sent, rejected] = await Promise.all([traced.total("spans:sent"), traced.total("spans:rejected")]);
    await traced.ran();
    receiver.answers = () => Response.json({ partialSuccess: { rejectedSpans: "3", errorMessage: "no" } });
    await traced.tick();
    const spans = /"spanId"/gu[Symbol.match](receiver.requests[0]?.body ?? "")?.length ?? 0;
    expect((await traced.total("spans:rejected")) - rejected).toBe(3);
    expect((await traced.total("spans:sent")) - sent).toBe(spans - 3);
    expect(await traced.queued()).toEqual([]);
  });

  test.each([
    ["a huge answer", () => new Response("x".repeat(20_000_000))],
    ["an answer of another form", () => Response.json({ partialSuccess: { rejectedSpans: -5 } })],
    ["more rejected spans than there were", () => Response.json({ partialSuccess: { rejectedSpans: "99999999999" } })],
    ["an answer that does not end", () => new Response(new ReadableStream({ start: (one) => one.enqueue("{") }))],
  ])("may send %s with 200: the spans were sent", async (_, answer) => {
    const { receiver } = traced;
    const [ends, spans] = await Promise.all([traced.total("traces:sent"), traced.total("spans:sent")]);
    await traced.ran();
    receiver.answers = answer;
    await traced.tick();
    expect(await traced.queued()).toEqual([]);
    expect((await traced.total("traces:sent")) - ends).toBe(1);
    expect(await traced.total("spans:sent")).toBeGreaterThanOrEqual(spans);
  });

  test("gets many runs in few requests of bounded size, and each span once", async () => {
    const { bench, receiver } = traced;
    const list = Array.from({ length: 130 }, (_, index) => index);
    const body = { nodes: [bench.action("act")], edges: [] };
    const each = { id: "each", type: "forEach", items: "{{inputs.list}}", concurrency: 50, body };
    await bench.ended(await bench.run({ nodes: [each], edges: [] }, { list }));
    await Promise.all(Array.from({ length: 10 }, () => traced.ran()));
    await traced.tick();
    const counts = receiver.requests.map(({ body }) => body.split(`"spanId"`).length - 1);
    expect(Math.max(...counts)).toBeLessThanOrEqual(1_000);
    expect(receiver.named("act")).toHaveLength(140);
    expect(new Set(receiver.spans.map(({ spanId }) => spanId)).size).toBe(receiver.spans.length);
    expect(receiver.named("item 130")).toHaveLength(1);
  }, 60_000);
});

describe("the queue", () => {
  test("drops the oldest beyond its bound, and counts them", async () => {
    const { bench } = traced;
    const overflowed = await traced.total("traces:overflowed");
    await query(bench.bellhop, "insert into trace_progress (id, not_before) values (1, ?)", [Date.now() + 60_000]);
    await query(
      bench.bellhop,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10003)
        insert into trace_queue (execution_id) select 'exe_' || i from n`,
    );
    await bench.bellhop.worker.tick();
    const left = await traced.queued();
    expect([left.length, left[0]]).toEqual([10_000, "exe_4"]);
    expect((await traced.total("traces:overflowed")) - overflowed).toBe(3);
  });

  test("is sent by one pass at a time, and a claim of the future by a wrong clock holds up nothing", async () => {
    const { bench, receiver } = traced;
    await traced.ran();
    const claims = async (notBefore: number) => {
      await query(
        bench.bellhop,
        "insert into trace_progress (id, not_before) values (1, ?1) on conflict do update set not_before = ?1",
        [notBefore],
      );
      await bench.bellhop.worker.tick();
      return receiver.requests.length;
    };
    expect(await claims(Date.now() + 60_000)).toBe(0);
    expect(await claims(Date.now() + 86_400_000)).toBe(1);
  });

  test("shows in the metrics, with how long the sending fails", async () => {
    const { bench, receiver } = traced;
    await traced.ran();
    receiver.answers = () => new Response(null, { status: 503 });
    await traced.tick();
    await query(bench.bellhop, "update trace_progress set failing_since = failing_since - 60000");
    expect(await traced.metric("bellhop_traces_queued")).toBe(1);
    expect(await traced.metric("bellhop_traces_failing_seconds")).toBeGreaterThanOrEqual(60);
    const [sent, refused] = await Promise.all([traced.total("traces:sent"), traced.total("traces:refused")]);
    expect(await traced.metric("bellhop_traces_total", { result: "sent" })).toBe(sent);
    expect(await traced.metric("bellhop_traces_total", { result: "refused" })).toBe(refused);
  }, 60_000);
});

describe("a receiver that is gone", () => {
  test("gets the spans later, and the database knows why", async () => {
    const other = await startTraced();
    try {
      await other.receiver.stop();
      const id = await other.ran();
      await other.tick();
      expect(await other.queued()).toEqual([id]);
      expect(await query(other.bench.bellhop, "select error from trace_progress")).toEqual([
        { error: "The connection could not be made, or broke off." },
      ]);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  }, 30_000);
});
