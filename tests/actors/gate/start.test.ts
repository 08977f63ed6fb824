import { describe, expect, test } from "bun:test";
import "../../support/quiet-log.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { StartOrder } from "../../../worker/services/ports.ts";
import { GateBench, SETTINGS } from "../../support/gate-bench.ts";

const MINUTE_MS = 60_000;
const down = () => Promise.reject(new Error("libSQL cannot be reached"));
const running = () => Promise.resolve({ status: "running" as const });

describe("a webhook gate starts an accepted event", () => {
  test("with the version and ids of the acceptance, even if the workflow changed since", async () => {
    const bench = new GateBench();
    const acceptedAt = bench.now;
    const executionId = bench.accepted({ variables: '{"host":"web-1","n":{"deep":[1]}}' });
    bench.now += 1_000;
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2, versionId: null, active: false });
    bench.restart();
    await bench.start();
    expect(bench.starts).toEqual([
      {
        executionId,
        workflowId: "wf_1",
        versionId: "wfv_1",
        trigger: { type: "webhook", variables: { host: "web-1", n: { deep: [1] } } },
        triggerKey: executionId,
        webhookKey: "wh1",
        startedAt: acceptedAt,
      },
    ]);
  });

  test("once, in the order of acceptance, at most sixteen at a time", async () => {
    const bench = new GateBench();
    let underWay = 0;
    let most = 0;
    bench.starting = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      return { status: "running" };
    };
    const ids = Array.from({ length: 30 }, () => bench.accepted());
    await Promise.all([bench.start(), bench.start()]);
    await bench.start();
    expect(bench.starts.map((order) => order.executionId)).toEqual(ids);
    expect(most).toBe(16);
  });

  test("even if it is accepted while other starts are under way", async () => {
    const bench = new GateBench();
    const gates: PromiseWithResolvers<{ status: ExecutionStatus }>[] = [];
    bench.starting = () => {
      gates.push(Promise.withResolvers());
      return gates.at(-1)?.promise ?? running();
    };
    bench.accepted();
    const whole = bench.start();
    const late = bench.accepted();
    void bench.start();
    expect(bench.starts.map((order) => order.executionId)).toContain(late);
    for (const gate of gates) gate.resolve({ status: "running" });
    await whole;
    await bench.ring();
    expect(bench.starts).toHaveLength(2);
  });

  test("not again after a restart, once its start is on disk", async () => {
    const bench = new GateBench();
    bench.accepted();
    await bench.start();
    await bench.ring();
    bench.restart();
    await bench.start();
    expect(bench.starts).toHaveLength(1);
  });

  test("again, with the same ids, when the object was evicted before the start was on disk", async () => {
    const bench = new GateBench();
    bench.accepted();
    await bench.start();
    bench.restart();
    await bench.ring();
    expect(bench.starts).toHaveLength(2);
    expect(bench.starts[1]).toEqual(bench.starts[0]);
  });

  test("by an immediate alarm when the object was evicted right after its answer", async () => {
    const bench = new GateBench();
    const executionId = bench.accepted();
    expect(bench.storage.alarmAt).toBe(bench.now + 10_000);
    bench.restart();
    expect(bench.storage.alarmAt).toBe(bench.now);
    await bench.ring();
    expect(bench.starts.map((order) => order.executionId)).toEqual([executionId]);
  });

  test("a repeated event shows the final status when the execution has already ended", async () => {
    const bench = new GateBench();
    bench.starting = () => Promise.resolve({ status: "failed" });
    bench.accepted({ key: "k:1" });
    await bench.start();
    expect(bench.accept({ key: "k:1" })).toMatchObject({ status: "failed", deduplicated: true });
  });

  test("not again when the end was reported before the start answered", async () => {
    const bench = new GateBench();
    bench.starting = (order) => {
      bench.gate.executionEnded(order.executionId, "succeeded");
      return down();
    };
    bench.accepted({ key: "k:1" });
    await bench.start();
    await bench.pass(MINUTE_MS);
    expect(bench.starts).toHaveLength(1);
    expect(bench.accept({ key: "k:1" })).toMatchObject({ status: "succeeded" });
  });
});

describe("a webhook gate whose starts fail", () => {
  test("keeps all events, tries again after 1, 2, 2, 2, 2, 2 s, and then starts them in order", async () => {
    const bench = new GateBench();
    const begin = bench.now;
    const attempts: number[] = [];
    bench.starting = () => {
      attempts.push(bench.now - begin);
      return down();
    };
    const ids = Array.from({ length: 20 }, () => bench.accepted());
    await bench.start();
    for (let i = 0; i < 6; i += 1) await bench.ring();
    expect([...new Set(attempts)].map((ms) => ms / 1_000)).toEqual([0, 1, 3, 5, 7, 9, 11]);
    bench.starts.length = 0;
    bench.starting = running;
    await bench.ring();
    // The newest event goes first, to find out whether only the oldest cannot be started.
    expect(bench.starts.map((order) => order.executionId)).toEqual([ids.at(-1), ...ids.slice(0, -1)].map(String));
  });

  test("tries only a few of many events while no start succeeds", async () => {
    const bench = new GateBench();
    bench.starting = down;
    for (let i = 0; i < 60; i += 1) bench.accepted();
    await bench.start();
    expect(bench.starts.length).toBeLessThanOrEqual(32);
    const before = bench.starts.length;
    await bench.start();
    expect(bench.starts).toHaveLength(before);
    // The newest, and as many of the oldest as show that no start succeeds.
    await bench.ring();
    expect(bench.starts.length - before).toBe(6);
  });

  test("continues to accept events", async () => {
    const bench = new GateBench();
    bench.starting = down;
    bench.accepted();
    await bench.start();
    expect(bench.accept().type).toBe("accepted");
  });

  test("starts each event of an outage once, even after the end of its window and a restart", async () => {
    const bench = new GateBench();
    bench.starting = down;
    const ids: string[] = [];
    for (let minute = 0; minute < 10; minute += 1) {
      for (let i = 0; i < 6; i += 1) ids.push(bench.accepted());
      await bench.start();
      await bench.pass(MINUTE_MS);
    }
    bench.restart();
    bench.starts.length = 0;
    bench.starting = running;
    await bench.pass(MINUTE_MS / 2);
    expect(bench.starts.map((order) => order.executionId).sort()).toEqual(ids.sort());
  });

  test("does not let one bad event delay the others, and keeps trying it at growing intervals", async () => {
    const bench = new GateBench();
    const bad = bench.accepted();
    bench.starting = (order: StartOrder) => (order.executionId === bad ? down() : running());
    const good = Array.from({ length: 10 }, () => bench.accepted());
    await bench.start();
    expect(started(bench, good)).toEqual(good);
    await bench.pass(10 * MINUTE_MS);
    const attempts = bench.starts.filter((order) => order.executionId === bad).length;
    expect(attempts).toBeGreaterThan(280);
    expect(attempts).toBeLessThan(320);
    bench.starting = running;
    await bench.pass(MINUTE_MS);
    await expect(bench.gate.startExecutions()).resolves.toBeUndefined();
    expect(bench.starts.at(-1)?.executionId).toBe(bad);
  });

  test("continues with the other events when its disk refuses to record an end", async () => {
    const bench = new GateBench();
    const ids = Array.from({ length: 20 }, () => bench.accepted());
    bench.storage.broken = "rows";
    bench.starting = () => Promise.resolve({ status: "succeeded" });
    await bench.start();
    expect(started(bench, ids)).toEqual(ids);
  });

  test("does not let a new event wait for a bad event", async () => {
    const bench = new GateBench();
    const bad = bench.accepted();
    bench.starting = (order: StartOrder) => (order.executionId === bad ? down() : running());
    await bench.start();
    for (let i = 0; i < 40; i += 1) {
      await bench.pass(700);
      const good = bench.accepted();
      await bench.start();
      expect(bench.starts.at(-1)?.executionId).toBe(good);
    }
  });

  test("starts a few failed events in their order", async () => {
    const bench = new GateBench();
    bench.starting = down;
    const ids = Array.from({ length: 5 }, () => bench.accepted());
    await bench.start();
    bench.starts.length = 0;
    bench.starting = running;
    await bench.ring();
    expect(bench.starts.map((order) => order.executionId)).toEqual(ids);
  });

  test("gets past any number of bad events that were accepted first", async () => {
    const bench = new GateBench();
    const bad = new Set(Array.from({ length: 12 }, () => bench.accepted()));
    bench.starting = (order: StartOrder) => (bad.has(order.executionId) ? down() : running());
    const good = Array.from({ length: 10 }, () => bench.accepted());
    await bench.start();
    await bench.pass(MINUTE_MS / 2);
    expect(started(bench, good).sort()).toEqual(good.toSorted());
  });
});

function started(bench: GateBench, ids: string[]): string[] {
  return bench.starts.map((order) => order.executionId).filter((id) => ids.includes(id));
}
