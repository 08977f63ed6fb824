import { beforeEach, describe, expect, test } from "bun:test";
import { ObjectAlarm } from "../../../worker/actors/kit/alarm.ts";
import { WakeTimes } from "../../../worker/actors/run/wake-times.ts";

let now: number;
let alarmAt: number | null;
let writes: number;
let disk: Map<string, unknown>;

const storage = {
  kv: {
    // The object reads its own writes.
    list: <T>({ prefix }: { prefix: string }) =>
      [...disk].filter((entry): entry is [string, T] => entry[0].startsWith(prefix)),
    put: (key: string, value: unknown) => {
      writes += 1;
      disk.set(key, value);
    },
    delete: (key: string) => {
      writes += 1;
      return disk.delete(key);
    },
  },
  setAlarm: async (at: number) => {
    alarmAt = at;
  },
  deleteAlarm: async () => {
    alarmAt = null;
  },
};

/** The times and the alarm of `WorkflowRuns`. */
function open() {
  const wakes = new WakeTimes(storage);
  const alarm = new ObjectAlarm(storage, { now: () => now, dueAt: () => wakes.earliest }, null);
  return {
    wakes,
    set(executionId: string, wakeAt: number | null) {
      wakes.set(executionId, wakeAt);
      alarm.arm();
    },
    async ring(look: (executionId: string) => void): Promise<void> {
      now = alarmAt ?? now;
      alarmAt = null;
      await alarm.ring(async () => wakes.takeDue(now, 3).forEach(look));
    },
  };
}

beforeEach(() => {
  now = 100_000;
  alarmAt = null;
  writes = 0;
  disk = new Map();
});

describe("the wake times of executions", () => {
  test("set the alarm to the earliest of them", () => {
    const run = open();
    run.set("a", 130_000);
    expect(alarmAt).toBe(130_000);
    run.set("b", 120_000);
    run.set("c", 140_000);
    expect(alarmAt).toBe(120_000);
  });

  test("cost no write and no alarm while no execution waits for time", () => {
    const run = open();
    run.set("a", null);
    expect(writes).toBe(0);
    expect(alarmAt).toBeNull();
  });

  test("are written once when the same time is set again, and deleted when an execution no longer waits", () => {
    const run = open();
    run.set("a", 130_000);
    run.set("a", 130_000);
    expect(writes).toBe(1);
    run.set("a", null);
    expect(writes).toBe(2);
    expect(disk.size).toBe(0);
  });

  test("leave no alarm after the last execution was woken", async () => {
    const run = open();
    run.set("a", 110_000);
    await run.ring((executionId) => run.set(executionId, null));
    expect(alarmAt).toBeNull();
    expect(run.wakes.earliest).toBeNull();
  });

  test("survive a restart of the object", async () => {
    open().set("a", 110_000);
    const looked: string[] = [];
    const restarted = open();
    expect(restarted.wakes.earliest).toBe(110_000);
    await restarted.ring((executionId) => looked.push(executionId));
    expect(looked).toEqual(["a"]);
  });

  test("of a woken execution that is still due come 10 s later, also when its time is set again", async () => {
    const run = open();
    run.set("a", 110_000);
    await run.ring((executionId) => run.set(executionId, 110_000));
    expect(alarmAt).toBe(120_000);
    run.set("a", 110_000);
    expect(alarmAt).toBe(120_000);
    expect(writes).toBe(1);
  });

  test("that are due together are taken a few at a time, the earliest first, and the next alarm rings at once", async () => {
    const run = open();
    for (const id of ["e", "d", "c", "b", "a"]) run.set(id, 110_000);
    run.set("first", 109_000);
    now = 112_000;
    const looked: string[] = [];
    alarmAt = null;
    await run.ring((executionId) => looked.push(executionId));
    expect(looked).toEqual(["first", "a", "b"]);
    expect(alarmAt ?? Infinity).toBeLessThan(112_100);
    await run.ring((executionId) => looked.push(executionId));
    expect(looked.slice(3)).toEqual(["c", "d", "e"]);
    expect(alarmAt).toBeGreaterThanOrEqual(122_000);
  });

  test("of an execution that is still due delay no other execution", async () => {
    const run = open();
    run.set("a", 110_000);
    run.set("b", 115_000);
    await run.ring(() => {});
    expect(alarmAt).toBe(115_000);
  });
});
