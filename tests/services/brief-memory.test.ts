import { beforeEach, expect, test } from "bun:test";
import { BriefMemory } from "../../worker/services/brief-memory.ts";
import { LineLimit } from "../../worker/services/line-limit.ts";

let now = 0;
let looks = 0;
const clock = () => now;
const look = async () => ++looks;
beforeEach(() => {
  now = 1_000_000;
  looks = 0;
});

test("a remembered value is returned without a lookup until it is too old", async () => {
  const memory = new BriefMemory<number>({ keepMs: 1_000, staleMs: 5_000 });
  expect(await memory.get(clock, look)).toBe(1);
  now += 999;
  expect(await memory.get(clock, look)).toBe(1);
  now += 1;
  expect(await memory.get(clock, look)).toBe(2);
});

test("during a lookup other callers get the remembered value, until that is stale", async () => {
  const memory = new BriefMemory<number>({ keepMs: 1_000, staleMs: 5_000 });
  await memory.get(clock, look);
  now += 2_000;
  const { promise, resolve } = Promise.withResolvers<number>();
  const looking = memory.get(clock, () => promise);
  expect(await memory.get(clock, look)).toBe(1);
  now += 3_000;
  // The request of the running lookup may have been aborted.
  expect(await memory.get(clock, look)).toBe(2);
  resolve(77);
  expect(await looking).toBe(77);
});

test("a failed lookup fails its caller, and the next caller looks up again", async () => {
  const memory = new BriefMemory<number>({ keepMs: 1_000, staleMs: 5_000 });
  await expect(memory.get(clock, () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await memory.get(clock, look)).toBe(1);
});

test("a kind of line has a limit per minute, and the next minute says how many were dropped", () => {
  const limit = new LineLimit({ perMinute: 2 });
  const admit = (kind: string, minute: number) => limit.admit(kind, minute * 60_000);
  expect([admit("a", 1), admit("a", 1), admit("a", 1), admit("a", 1)]).toEqual([{}, {}, null, null]);
  expect(admit("b", 1)).toEqual({});
  expect(admit("a", 2)).toEqual({ leftOutBefore: 2 });
  expect(admit("a", 2)).toEqual({});
});

test("an unlimited number of new kinds shares one limit", () => {
  const limit = new LineLimit({ perMinute: 2 });
  const passed = Array.from({ length: 2_000 }, (_, i) => limit.admit(`kind ${i}`, 60_000)).filter(
    (one) => one !== null,
  );
  expect(passed.length).toBe(502);
});
