import { describe, expect, test } from "bun:test";
import "../../support/quiet-log.ts";
import { ObjectAlarm } from "../../../worker/actors/kit/alarm.ts";
import { ObjectStorage } from "../../support/object-storage.ts";

const SECOND_MS = 1_000;
const START = Date.UTC(2026, 0, 5, 12);

/** An object whose only state is its next due time. */
function openAlarm({ dueAt, armedAt = null }: { dueAt: number | null; armedAt?: number | null }) {
  const storage = new ObjectStorage();
  storage.alarmAt = armedAt;
  const state = { at: START, dueAt };
  const alarm = new ObjectAlarm(storage, { now: () => state.at, dueAt: () => state.dueAt }, armedAt);
  return { storage, state, alarm };
}

describe("arming an object's alarm", () => {
  const cases: [title: string, armedAt: number | null, dueAt: number | null, alarmAt: number | null, writes: number][] =
    [
      ["sets it for the due time", null, START + 5, START + 5, 1],
      ["sets it for now when the due time has passed", null, START - 5, START, 1],
      ["writes nothing without a due time", null, null, null, 0],
      ["leaves an earlier alarm", START + 5, START + 10, START + 5, 0],
      ["moves a later alarm", START + 10, START + 5, START + 5, 1],
      [
        "leaves an overdue alarm of the storage, which is about to ring",
        START - 3_600_000,
        START,
        START - 3_600_000,
        0,
      ],
    ];
  for (const [title, armedAt, dueAt, alarmAt, writes] of cases) {
    test(title, () => {
      const { alarm, storage } = openAlarm({ armedAt, dueAt });
      alarm.arm();
      expect({ alarmAt: storage.alarmAt, writes: storage.alarmWrites }).toEqual({ alarmAt, writes });
    });
  }

  test("sets it once for an overdue time, with any number of changes before it rings", () => {
    const { alarm, storage, state } = openAlarm({ dueAt: START - 5 });
    for (let change = 0; change < 20; change += 1) {
      alarm.arm();
      state.at += SECOND_MS;
    }
    expect(storage).toMatchObject({ alarmAt: START, alarmWrites: 1 });
  });

  test("sets another alarm when the previous one should have rung long ago", () => {
    const { alarm, storage, state } = openAlarm({ dueAt: START });
    alarm.arm();
    state.at += 31 * SECOND_MS;
    alarm.arm();
    expect(storage.alarmAt).toBe(state.at);
  });

  test("tries again after a failed write", async () => {
    const { alarm, storage } = openAlarm({ dueAt: START });
    storage.broken = "all";
    alarm.arm();
    await Promise.resolve();
    storage.broken = false;
    await Promise.resolve();
    alarm.arm();
    expect(storage.alarmAt).toBe(START);
  });
});

describe("an object's alarm that rings", () => {
  test("is set for the next due time", async () => {
    const { alarm, storage, state } = openAlarm({ dueAt: START });
    await alarm.ring(async () => {
      state.dueAt = START + 60 * SECOND_MS;
    });
    expect(storage.alarmAt).toBe(START + 60 * SECOND_MS);
  });

  test("is set before the work, so that an object that ends half-way is called again", async () => {
    const { alarm, storage } = openAlarm({ dueAt: START });
    const during: (number | null)[] = [];
    await alarm.ring(async () => {
      during.push(storage.alarmAt);
    });
    expect(during).toEqual([START + 30 * SECOND_MS]);
  });

  test("does not ring again when no work is left", async () => {
    const { alarm, storage, state } = openAlarm({ dueAt: START });
    await alarm.ring(async () => {
      state.dueAt = null;
    });
    expect(storage.alarmAt).toBeNull();
  });

  test("costs one write when it rings early, and none without a due time", async () => {
    for (const [dueAt, writes] of [
      [START + SECOND_MS, 1],
      [null, 0],
    ] as const) {
      const { alarm, storage } = openAlarm({ dueAt });
      await alarm.ring(async () => {});
      expect(storage.alarmWrites).toBe(writes);
    }
  });

  test("pauses when its work left a due time in the past, and longer when its work failed", async () => {
    const { alarm, storage } = openAlarm({ dueAt: START });
    await alarm.ring(async () => {});
    expect(storage.alarmAt).toBe(START + 20);
    await alarm.ring(() => Promise.reject(new Error("the work failed")));
    expect(storage.alarmAt).toBe(START + SECOND_MS);
  });

  test("rejects when the next alarm cannot be set, so that the platform rings again", async () => {
    const { alarm, storage } = openAlarm({ dueAt: START });
    storage.broken = "all";
    await expect(alarm.ring(async () => {})).rejects.toThrow("the disk is full");
  });
});
