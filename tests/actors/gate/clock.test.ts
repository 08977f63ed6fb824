import { describe, expect, test } from "bun:test";
import "../../support/quiet-log.ts";
import { GateBench } from "../../support/gate-bench.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe("a gate whose clock was a day ahead and is set back", () => {
  test.each([false, true])("takes its rate of new requests again (after a restart: %p)", (restarts) => {
    const bench = new GateBench();
    for (let i = 0; i < 60; i += 1) bench.accepted();
    bench.now -= DAY_MS;
    if (restarts) bench.restart();
    for (let minute = 0; minute < 3; minute += 1) {
      for (let i = 0; i < 60; i += 1) bench.accepted();
      expect(bench.accept()).toMatchObject({ type: "rateLimited", retryAfterSeconds: 60 });
      bench.now += MINUTE_MS;
    }
  });

  test("takes an event that equals one of before as a new one, and forgets the old one", async () => {
    const bench = new GateBench();
    const first = bench.accepted({ key: "h:1" });
    await bench.start();
    bench.now -= DAY_MS;
    const second = bench.accepted({ key: "h:1" });
    expect(second).not.toBe(first);
    expect(bench.accepted({ key: "h:1" })).toBe(second);
    await bench.start();
    await bench.gate.onAlarm(() => bench.start());
    expect(bench.storage.count("events")).toBe(1);
  });

  test("recognizes a repeated event after less than a window", () => {
    const bench = new GateBench();
    const first = bench.accepted({ key: "h:1" });
    bench.now -= MINUTE_MS;
    expect(bench.accepted({ key: "h:1" })).toBe(first);
  });

  test("tries failed starts again at once", async () => {
    const bench = new GateBench();
    bench.starting = () => Promise.reject(new Error("libSQL cannot be reached"));
    for (let i = 0; i < 8; i += 1) bench.accepted();
    await bench.start();
    bench.now -= DAY_MS;
    bench.starting = () => Promise.resolve({ status: "running" as const });
    bench.starts.length = 0;
    await bench.start();
    expect(new Set(bench.starts.map(({ executionId }) => executionId)).size).toBe(8);
  });
});
