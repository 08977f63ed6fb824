import { afterEach, expect, test } from "bun:test";
import { Loop } from "../../agent/loop.ts";
import type { Wait } from "../../agent/loop.ts";
import { eventually } from "../support/eventually.ts";

const HOUR: Wait = { delayMs: 3_600_000, firm: false };
let loop: Loop | undefined;
afterEach(async () => {
  await loop?.stop();
  loop = undefined;
});

/** Resolves when all immediate work is done. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function startLoop(tick: (count: number, loop: Loop) => Wait | Promise<Wait>): { ticks: () => number; loop: Loop } {
  let ticks = 0;
  const own: Loop = new Loop(async () => tick(++ticks, own));
  loop = own;
  own.start();
  return { ticks: () => ticks, loop: own };
}

test("any number of wakes during a wait cause one tick", async () => {
  const { ticks, loop } = startLoop(() => HOUR);
  await eventually("the first tick", () => ticks() === 1);
  for (let count = 0; count < 1_000; count += 1) loop.wake();
  await eventually("the second", () => ticks() === 2);
  loop.wake();
  await eventually("the third", () => ticks() === 3);
});

test("any number of wakes during a tick cause one more tick", async () => {
  const { ticks } = startLoop((count, loop) => {
    if (count === 1) for (let wakes = 0; wakes < 1_000; wakes += 1) loop.wake();
    return HOUR;
  });
  await eventually("the second tick", () => ticks() === 2);
});

test("a wake does not shorten a back-off", async () => {
  const { ticks, loop } = startLoop((count) => ({ delayMs: count === 1 ? 3_600_000 : 0, firm: true }));
  await eventually("the first tick", () => ticks() === 1);
  loop.wake();
  await nextTurn();
  expect(ticks()).toBe(1);
});

test("a wake with endsBackoff ends a back-off, once per wake", async () => {
  const { ticks, loop } = startLoop(() => ({ delayMs: 3_600_000, firm: true }));
  await eventually("the first tick", () => ticks() === 1);
  loop.wake({ endsBackoff: true });
  await eventually("the second", () => ticks() === 2);
  loop.wake();
  await nextTurn();
  expect(ticks()).toBe(2);
});

test("a wake with endsBackoff during a failing tick ends the back-off after it, despite other wakes", async () => {
  const { ticks } = startLoop((count, loop) => {
    if (count === 1) {
      loop.wake({ endsBackoff: true });
      loop.wake();
    }
    return { delayMs: 3_600_000, firm: true };
  });
  await eventually("the second tick", () => ticks() === 2);
  await nextTurn();
  expect(ticks()).toBe(2);
});

test("wakes that end every back-off cause no busy loop", async () => {
  const startedAt = performance.now();
  const { ticks } = startLoop(async (count, loop) => {
    setImmediate(() => loop.wake({ endsBackoff: true }));
    if (count % 2 === 0) loop.wake({ endsBackoff: true });
    return { delayMs: 3_600_000, firm: true };
  });
  await eventually("a hundred ticks", () => ticks() >= 100);
  // Nominally half a second; a busy loop takes a few milliseconds.
  expect(performance.now() - startedAt).toBeGreaterThan(200);
});

test("wakes during and between all ticks cause no busy loop", async () => {
  const startedAt = performance.now();
  const { ticks } = startLoop(async (count, loop) => {
    await nextTurn();
    setImmediate(() => loop.wake());
    if (count % 2 === 0) loop.wake();
    return HOUR;
  });
  await eventually("a hundred ticks", () => ticks() >= 100);
  // Nominally half a second; a busy loop takes a few milliseconds.
  expect(performance.now() - startedAt).toBeGreaterThan(200);
});

test("the loop stops during a wait that a wake has shortened", async () => {
  const { ticks, loop } = startLoop((_count, loop) => {
    setImmediate(() => loop.wake());
    return HOUR;
  });
  await eventually("some ticks", () => ticks() >= 3);
  await loop.stop();
  const last = ticks();
  loop.wake();
  await nextTurn();
  expect(ticks()).toBe(last);
});
