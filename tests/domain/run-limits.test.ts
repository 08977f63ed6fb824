import { describe, expect, test } from "bun:test";
import type { RunLimits } from "../../schema/contract/limit-group.ts";
import { tookEffect } from "../../worker/actors/run/engine/step.ts";
import type { RunEvent } from "../../worker/actors/run/engine/types.ts";
import { freeAt, judgeLimits } from "../../worker/domain/limit/judge-limits.ts";
import type { Reservation } from "../../worker/domain/limit/judge-limits.ts";
import { Engine, action, edges } from "./engine.ts";

const limits: RunLimits = { uses: [{ groupId: "lim_1", key: "shop", executionId: "exe_1" }], reserved: false };
const error = { code: "limit_reached", message: "The limit is reached." };
const ended: Reservation = { granted: false, whenReached: "end", error };
const asks: Reservation = { granted: false, whenReached: "approve", error };
const read = (id: string) =>
  action(id, { action: "http.request", connectionId: "http", params: { method: "GET", path: "/" } });
const message = (id: string) => ({
  id,
  type: "action",
  action: "notification.sendNotification",
  params: { channel: "email", to: ["a@example.org"], subject: "s", message: "m" },
});
const answer = (engine: Engine, nodeId: string, decision: "approved" | "rejected"): RunEvent => ({
  type: "decided",
  decision: {
    nodeRunId: engine.run(nodeId).id,
    decision,
    by: "user:usr_2",
    comment: "no",
    approved: { versions: {}, targets: {} },
  },
});

function startWith(reservation: Reservation, ...graph: Parameters<typeof Engine.start>) {
  const [nodes, lines = [], options] = graph;
  // The first node waits, so that the answer is set before an action is ordered.
  const engine = Engine.start(
    [{ id: "first", type: "delay", seconds: 1 }, ...nodes],
    [...edges(...nodes.map(({ id }) => `first -> ${String(id)}`).slice(0, 1)), ...lines],
    { limits, ...options },
  );
  engine.reservation = reservation;
  engine.wake(1_000);
  return engine;
}

test("an execution without limits reserves nothing", () => {
  const engine = Engine.start([action("restart")]);
  expect([engine.orders.length, engine.reservations, engine.state.limits]).toEqual([1, 0, null]);
});

describe("an execution with limits", () => {
  test("reserves them once, before its first unsafe action", () => {
    const engine = startWith(
      { granted: true },
      [read("look"), action("restart"), action("again")],
      [...edges("look -> restart", "restart -> again")],
    );
    expect([engine.orders.length, engine.reservations, engine.state.limits?.reserved]).toEqual([1, 0, false]);
    engine.end("look");
    expect([engine.orders.length, engine.reservations, engine.state.limits?.reserved]).toEqual([2, 1, true]);
    engine.end("restart");
    expect([engine.orders.length, engine.reservations]).toEqual([3, 1]);
  });

  test("reserves nothing for reads and for messages to people", () => {
    const engine = startWith(ended, [read("look"), message("report")], edges("look -> report"));
    engine.end("look");
    expect(engine.statuses).toMatchObject({ look: "succeeded", report: "running" });
    expect(engine.reservations).toBe(0);
  });

  test("ends with limit_reached when limits alone stopped the items of its forEach", () => {
    const loop = { id: "loop", type: "forEach", items: '["a","b"]', body: { nodes: [action("restart")], edges: [] } };
    const engine = startWith(ended, [loop]);
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "limit_reached" } });
    expect(engine.state.error?.message).toContain("The limit is reached.");
  });

  test("counts a retry of the same action once", () => {
    const engine = startWith({ granted: true }, [action("restart", { retry: { maxAttempts: 3, backoffSeconds: 1 } })]);
    engine.fail("restart");
    engine.reservation = ended;
    engine.wake(1_000);
    expect([engine.orders.length, engine.reservations]).toEqual([2, 1]);
  });

  test("that is reached ends the run by the failure of its action, whose handler may report it", () => {
    const plain = startWith(ended, [action("restart"), action("after")], edges("restart -> after"));
    expect(plain.state).toMatchObject({ status: "failed", error: { code: "limit_reached" } });
    expect(plain.statuses).toMatchObject({ restart: "failed", after: "skipped" });
    expect(plain.orders).toEqual([]);
    const handled = startWith(ended, [action("restart"), message("report")], edges("restart -failure-> report"));
    expect(handled.statuses).toMatchObject({ restart: "failed", report: "running" });
  });

  test("asks a person, and runs every action that waits after one approval", () => {
    const engine = startWith(asks, [action("restart"), action("beside")], edges("first -> beside"));
    expect(engine.statuses).toMatchObject({ restart: "waiting", beside: "waiting" });
    expect(engine.run("restart")).toMatchObject({
      jobId: null,
      wakeAt: null,
      output: { message: "The limit is reached. Approve to run the action beyond the limit." },
    });
    expect(engine.wake(60_000)).toEqual([]);
    const approved = answer(engine, "beside", "approved");
    engine.apply(approved);
    expect(tookEffect(approved, engine.state)).toBe(true);
    expect(engine.orders).toHaveLength(2);
    expect(engine.state.limits?.reserved).toBe(true);
    // The approval is about the number of runs, and replaces no approval of what they do.
    expect(engine.state.approved).toBeNull();
    const before = engine.state;
    engine.apply(answer(engine, "restart", "rejected"));
    expect(engine.state).toBe(before);
  });

  test("fails the actions that wait when a person rejects", () => {
    const engine = startWith(asks, [action("restart")]);
    const rejected = answer(engine, "restart", "rejected");
    engine.apply(rejected);
    expect(tookEffect(rejected, engine.state)).toBe(true);
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "limit_reached" } });
    expect(engine.run("restart").error?.message).toBe('Rejected by usr_2. "no" The limit is reached.');
  });

  test("asks once: after a rejection, further items of a forEach fail without a question", () => {
    const body = { nodes: [action("restart")], edges: [] };
    const each = { id: "each", type: "forEach", items: "[1, 2, 3, 4]", concurrency: 2, continueOnError: true, body };
    const engine = startWith(asks, [each]);
    const restarts = () => engine.state.nodeRuns.filter(({ nodeId }) => nodeId === "restart");
    expect(restarts().map(({ status }) => status)).toEqual(["waiting", "waiting"]);
    const asked = engine.reservations;
    engine.apply(answer(engine, "restart", "rejected"));
    const messages = restarts().map((run) => [run.status, run.error?.message]);
    expect(messages).toEqual(
      Array.from({ length: 4 }, () => ["failed", 'Rejected by usr_2. "no" The limit is reached.']),
    );
    expect([engine.reservations, engine.orders, engine.state.status]).toEqual([asked, [], "succeeded"]);
  });

  test("ends by a cancel while it asks", () => {
    const engine = startWith(asks, [action("restart")]);
    engine.apply({ type: "cancelled", by: "user:usr_1" });
    expect(engine.statuses).toMatchObject({ restart: "cancelled" });
  });

  test("begins no further iteration of a forEach after it is reached", () => {
    const body = { nodes: [action("restart")], edges: [] };
    const engine = startWith(ended, [{ id: "each", type: "forEach", items: "[1, 2, 3]", body }]);
    expect(engine.state.status).toBe("failed");
    expect(engine.run("each").error?.message).toContain("The limit is reached.");
    expect(engine.state.nodeRuns.filter(({ nodeId }) => nodeId === "restart")).toHaveLength(1);
  });
});

describe("the rule of a limit", () => {
  const group = { name: "Restarts", maxRuns: 2, periodSeconds: 3_600, whenReached: "approve" as const };
  const use = { groupId: "lim_1", key: "shop", executionId: "exe_9" };
  const wanted = { ...use, group, isUsed: false, newest: ["exe_2", "exe_1"], lastAt: 1_000 };

  test("names the limit, the key, the runs and the time of the next one", () => {
    expect(judgeLimits([wanted], 3_000)).toEqual({
      granted: false,
      whenReached: "approve",
      error: {
        code: "limit_reached",
        message:
          'The limit "Restarts" for the key "shop" is reached: at most 2 runs in 1 h. Used by exe_2, exe_1. The next run is possible at 1970-01-01 01:01 UTC.',
      },
    });
  });

  test("names five runs", () => {
    const newest = ["exe_9", "exe_8", "exe_7", "exe_6", "exe_5", "exe_4"];
    expect(judgeLimits([{ ...wanted, newest }], 3_000)?.error.message).toContain(
      "Used by exe_9, exe_8, exe_7, exe_6, exe_5, others. The next",
    );
  });

  test.each([
    ["is free", { ...wanted, newest: ["exe_2"], lastAt: null }],
    ["counts already", { ...wanted, isUsed: true }],
    ["has become free meanwhile", { ...wanted, lastAt: 1_000 - 3_600_000 }],
  ])("refuses nothing that %s", (_what, one) => {
    expect(judgeLimits([one], 3_000)).toBeNull();
  });

  test("lets a limit that ends the run decide before one that asks, and allows nothing of a missing one", () => {
    const end = { ...wanted, key: "", group: { ...group, whenReached: "end" as const } };
    expect(judgeLimits([wanted, end], 3_000)).toMatchObject({ whenReached: "end" });
    const missing = { ...wanted, group: null, newest: [], lastAt: null };
    expect(judgeLimits([wanted, missing], 3_000)).toMatchObject({ error: { code: "limit_group_not_found" } });
  });

  test("is free again when the oldest of the last uses is a period old, also with uses beyond it", () => {
    expect(freeAt(group, [{ at: 2_000 }, { at: 1_000 }])).toBe(3_601_000);
    expect(freeAt(group, [{ at: 1_000 }])).toBeNull();
    expect(freeAt(group, [{ at: 9_000 }, { at: 2_000 }, { at: 1_000 }])).toBe(3_602_000);
  });
});
