import { expect, test } from "bun:test";
import { RefusedKeys } from "../../../worker/services/webhook/refused-keys.ts";

const NOW = 1_700_000_000_000;
const DIGEST = "digest of a key and its secret";

/** How many of `requests` at one moment reach the gate. */
function passedOn(keys: RefusedKeys, requests: number, now: number): number {
  return Array.from({ length: requests }, () => keys.retryAfterSeconds(DIGEST, now)).filter((wait) => wait === null)
    .length;
}

test("a key that the gate has not refused always reaches it", () => {
  expect(passedOn(new RefusedKeys(), 1_000, NOW)).toBe(1_000);
});

test("a few requests a second of a flood reach the gate, and the others get the seconds to wait", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 30, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBeLessThan(10);
  expect(keys.retryAfterSeconds(DIGEST, NOW)).toBe(30);
  // The gate refuses each of those again, which must not start a new count.
  keys.note(DIGEST, 30, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBe(0);
  expect(passedOn(keys, 1_000, NOW + 1_000)).toBe(10);
  expect(keys.retryAfterSeconds(DIGEST, NOW + 1_000)).toBe(29);
});

test("requests pass again as soon as the gate may have room, without the second that it rounded up", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 30, NOW);
  expect(passedOn(keys, 1_000, NOW + 28_999)).toBe(10);
  expect(passedOn(keys, 1_000, NOW + 29_000)).toBe(1_000);
});

test("a wait of one second, which may be less, refuses nothing", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 1, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBe(1_000);
});

test("one key's flood does not affect another key", () => {
  const keys = new RefusedKeys();
  keys.note("another's digest", 30, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBe(1_000);
});

test("a limited number of keys is remembered, the latest ones", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 30, NOW);
  for (let count = 0; count < 10_000; count += 1) keys.note(`digest ${count}`, 30, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBe(1_000);
});

test("every request of a forgotten key reaches the gate", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 30, NOW);
  keys.forget(DIGEST);
  expect(passedOn(keys, 1_000, NOW)).toBe(1_000);
});
