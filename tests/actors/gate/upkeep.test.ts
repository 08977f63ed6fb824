import { describe, expect, test } from "bun:test";
import "../../support/quiet-log.ts";
import { GateBench, SETTINGS } from "../../support/gate-bench.ts";

const MINUTE_MS = 60_000;
const down = () => Promise.reject(new Error("libSQL cannot be reached"));
const running = () => Promise.resolve({ status: "running" as const });

describe("a webhook gate's alarm", () => {
  test("does not throw when its work fails, and does the work when it rings again", async () => {
    const bench = new GateBench();
    bench.accepted();
    await bench.start();
    bench.storage.broken = "rows";
    await bench.ring();
    expect(bench.storage.alarmAt).toBe(bench.now + 10_000);
    bench.storage.broken = false;
    await bench.ring();
    bench.restart();
    await bench.start();
    expect(bench.starts).toHaveLength(1);
  });

  test("throws when the next alarm cannot be set, so that the platform rings again", async () => {
    const bench = new GateBench();
    bench.accepted();
    bench.storage.broken = "all";
    await expect(bench.ring()).rejects.toThrow("the disk is full");
    bench.storage.broken = false;
    await bench.gate.onAlarm(() => bench.start());
    expect(bench.starts).toHaveLength(1);
  });

  test("is set before any start, so that a crash half-way loses no event", async () => {
    const bench = new GateBench();
    bench.starting = down;
    bench.accepted();
    await bench.start();
    const seen: (number | null)[] = [];
    bench.starting = () => {
      seen.push(bench.storage.alarmAt);
      return running();
    };
    await bench.ring();
    expect(seen).toEqual([bench.now + 10_000]);
  });

  test("empties the storage when its rows no longer count, and then stays silent", async () => {
    const bench = new GateBench();
    const ids = Array.from({ length: 5 }, () => bench.accepted());
    bench.accepted({ key: "k:again" });
    bench.accept({ key: "k:again" });
    await bench.start();
    for (const id of ids) bench.gate.executionEnded(id, "succeeded");
    await bench.pass(6 * MINUTE_MS);
    expect(bench.storage.count("events")).toBe(0);
    expect(bench.storage.count("counted_requests")).toBe(0);
    expect(bench.storage.alarmAt).toBeNull();
    expect(bench.accept().type).toBe("accepted");
  });

  test("deletes a request that only counted after a minute, without another request", async () => {
    const bench = new GateBench();
    expect(bench.accept({ body: { ok: false, problem: { code: "invalid_request", detail: "" } } }).type).toBe(
      "badBody",
    );
    expect(bench.storage.count("counted_requests")).toBe(1);
    await bench.pass(2 * MINUTE_MS);
    expect(bench.storage.count("counted_requests")).toBe(0);
    expect(bench.storage.alarmAt).toBeNull();
  });

  test("asks for the status of a running execution once a minute during its window", async () => {
    const bench = new GateBench();
    bench.accepted({ key: "k:1" });
    await bench.start();
    await bench.pass(4.5 * MINUTE_MS);
    expect(bench.starts).toHaveLength(5);
    bench.starting = () => Promise.resolve({ status: "succeeded" });
    await bench.pass(0.4 * MINUTE_MS);
    expect(bench.starts).toHaveLength(5);
  });

  test("fetches a final status that was never reported", async () => {
    const bench = new GateBench();
    bench.accepted({ key: "k:1" });
    await bench.start();
    bench.starting = () => Promise.resolve({ status: "failed" });
    await bench.pass(1.5 * MINUTE_MS);
    expect(bench.accept({ key: "k:1" })).toMatchObject({ status: "failed" });
  });
});

describe("a webhook gate's settings", () => {
  test("apply to the next request", () => {
    const bench = new GateBench();
    bench.accepted();
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2, active: false });
    expect(bench.accept().type).toBe("inactive");
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 3 });
    expect(bench.accept().type).toBe("accepted");
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 4, revoked: true });
    expect(bench.accept().type).toBe("unknownKey");
  });

  test("of an older or the same epoch are ignored, also after a restart", () => {
    const bench = new GateBench({ epoch: 5, active: false });
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 4 });
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 5 });
    bench.restart();
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 4 });
    expect(bench.accept().type).toBe("inactive");
  });

  test("that revoke the key let accepted events start, and everything is deleted a day later", async () => {
    const bench = new GateBench();
    bench.starting = down;
    bench.accepted();
    await bench.start();
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2, revoked: true });
    await bench.pass(10 * MINUTE_MS);
    expect(bench.storage.count("events")).toBe(1);
    bench.starting = running;
    await bench.pass(MINUTE_MS);
    expect(bench.storage.count("events")).toBe(0);
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 1 });
    expect(bench.accept().type).toBe("unknownKey");
    await bench.pass(24 * 60 * MINUTE_MS);
    expect(bench.storage.tables()).toEqual([]);
    bench.gate.executionEnded("exe_1", "succeeded");
    expect(bench.storage.tables()).toEqual([]);
  });

  test("that undo a revocation find the deduplication window unchanged", () => {
    const bench = new GateBench();
    const first = bench.accepted({ key: "k:1" });
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2, revoked: true });
    bench.restart();
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 3 });
    expect(bench.accepted({ key: "k:1" })).toBe(first);
  });
});
