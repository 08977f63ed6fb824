import { describe, expect, test } from "bun:test";
import "../../support/quiet-log.ts";
import { GateBench, SETTINGS } from "../../support/gate-bench.ts";

const FACTS = { bytes: 2, contentType: "application/json", ignoredFields: [] };
const BAD_BODY = { ok: false, problem: { code: "invalid_request", detail: "It is no JSON." } } as const;
const WRONG = { verifiers: [SETTINGS.secretHash], matches: false };

const shown = (bench: GateBench) =>
  bench.gate.deliveries.map(({ result, reason, count }) => [reason ?? result, count].join(" "));

describe("the last deliveries of a webhook", () => {
  test("have each result with its facts, newest first", () => {
    const bench = new GateBench();
    const delivery = { bytes: 40, contentType: "text/plain", ignoredFields: ["alert"] };
    const executionId = bench.accepted({ key: "h:1", delivery });
    bench.accept({ key: "h:1" });
    bench.accept({ body: BAD_BODY });
    bench.accept({ secretDigest: "wrong", verified: WRONG });
    bench.gate.refused("unauthorized", FACTS);
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2, active: false });
    bench.accept();
    const at = bench.now;
    const refused = { ...FACTS, at, result: "refused", detail: null, executionId: null, count: 1 } as const;
    expect(bench.gate.deliveries).toEqual([
      { ...refused, reason: "inactive" },
      { ...refused, reason: "unauthorized", count: 2 },
      { ...refused, reason: "invalid_request", detail: "It is no JSON." },
      { ...FACTS, at, result: "repeated", reason: null, detail: null, executionId, count: 1 },
      { ...delivery, at, result: "started", reason: null, detail: null, executionId, count: 1 },
    ]);
  });

  test("are ten, and a flood of refusals is one of them", () => {
    const bench = new GateBench({ requestsPerMinute: 12 });
    for (let i = 0; i < 12; i += 1) bench.accept();
    for (let i = 0; i < 1_000; i += 1) bench.accept();
    for (let i = 0; i < 1_000; i += 1) bench.gate.refused("unauthorized", FACTS);
    expect(shown(bench)).toEqual([
      "unauthorized 1000",
      "rate_limit_exceeded 1000",
      ...Array.from({ length: 8 }, () => "started 1"),
    ]);
  });

  test("do not count a call that is repeated because its answer was lost", () => {
    const bench = new GateBench();
    const request = bench.request();
    bench.gate.accept(request);
    bench.gate.accept(request);
    expect(shown(bench)).toEqual(["started 1"]);
  });

  test("do not list ignored fields of a workflow that reads the whole body", () => {
    const bench = new GateBench({ payload: { headers: [], query: [] } });
    bench.accept({ delivery: { ...FACTS, ignoredFields: ["alert"] } });
    expect(bench.gate.deliveries).toMatchObject([{ ignoredFields: [] }]);
  });

  test("that start nothing are counted by the alarm, after a failure by the next one, and after a restart", async () => {
    const bench = new GateBench();
    bench.accepted({ key: "h:1" });
    await bench.ring();
    expect(bench.counted).toEqual([]);
    for (let i = 0; i < 3; i += 1) bench.accept({ key: "h:1" });
    bench.gate.refused("unauthorized", FACTS);
    bench.counting = () => Promise.reject(new Error("the database is away"));
    await bench.ring();
    bench.accept({ body: BAD_BODY });
    bench.gate.refused("unauthorized", FACTS);
    await bench.ring();
    expect(bench.counted).toEqual([]);
    bench.restart();
    bench.counting = () => Promise.resolve();
    await bench.ring();
    await bench.pass(60_000);
    expect(bench.counted.toSorted()).toEqual([
      ["deliveries:invalid_request", 1],
      ["deliveries:repeated", 3],
      ["deliveries:unauthorized", 2],
    ]);
  });

  test("are none of a key that is not valid", () => {
    for (const bench of [new GateBench(null), new GateBench({ revoked: true })]) {
      const before = bench.storage.rowWrites;
      bench.accept();
      bench.gate.refused("unauthorized", FACTS);
      expect(bench.gate.deliveries).toEqual([]);
      expect(bench.storage.rowWrites).toBe(before);
    }
  });

  test("are kept across a restart, with one write for a flood", async () => {
    const bench = new GateBench();
    const before = bench.storage.rowWrites;
    for (let i = 0; i < 1_000; i += 1) bench.gate.refused("unauthorized", FACTS);
    expect(bench.storage.rowWrites).toBe(before);
    expect(bench.storage.alarmWrites).toBe(1);
    await bench.pass(10_000);
    expect(bench.storage.rowWrites).toBe(before + 1);
    bench.restart();
    expect(shown(bench)).toEqual(["unauthorized 1000"]);
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2 });
    bench.restart();
    expect(shown(bench)).toHaveLength(1);
  });

  test("cost an accepted event nothing but one write for each alarm", async () => {
    const bench = new GateBench();
    const before = bench.storage.rowWrites;
    for (let i = 0; i < 20; i += 1) bench.accept();
    expect(bench.storage.rowWrites).toBe(before + 20);
    expect(bench.storage.alarmWrites).toBe(1);
  });
});

describe("the rate of a webhook", () => {
  test.each([1, 600])("is set to %d in a minute", (requestsPerMinute) => {
    const bench = new GateBench({ requestsPerMinute });
    for (let i = 0; i < requestsPerMinute; i += 1) expect(bench.accept().type).toBe("accepted");
    expect(bench.accept()).toEqual({ type: "rateLimited", retryAfterSeconds: 60 });
  });

  test("changes with the next request, in both directions", () => {
    const bench = new GateBench({ requestsPerMinute: 3 });
    for (let i = 0; i < 3; i += 1) bench.accept();
    expect(bench.accept().type).toBe("rateLimited");
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2, requestsPerMinute: 5 });
    expect(bench.accept().type).toBe("accepted");
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 3, requestsPerMinute: 1 });
    expect(bench.accept().type).toBe("rateLimited");
    bench.now += 60_000;
    expect(bench.accept().type).toBe("accepted");
    expect(bench.accept().type).toBe("rateLimited");
  });

  test("is 60 without a setting", () => {
    const bench = new GateBench();
    for (let i = 0; i < 60; i += 1) bench.accept();
    expect(bench.accept().type).toBe("rateLimited");
  });
});
