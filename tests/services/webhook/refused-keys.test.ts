import { expect, test } from "bun:test";
import { RefusedKeys } from "../../../worker/services/webhook/refused-keys.ts";

const NOW = 1_700_000_000_000;
const DIGEST = "digest of a key and its secret";

/** How many of so many requests at one moment are passed on to the gate. */
function passedOn(keys: RefusedKeys, requests: number, now: number): number {
  return Array.from({ length: requests }, () => keys.retryAfterSeconds(DIGEST, now)).filter((wait) => wait === null)
    .length;
}

test("a key that the gate has not refused is passed on, however often it comes", () => {
  expect(passedOn(new RefusedKeys(), 1_000, NOW)).toBe(1_000);
});

test("of a flood, a few each second are passed on, and the others are told when to come back", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 30, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBeLessThan(10);
  expect(keys.retryAfterSeconds(DIGEST, NOW)).toBe(30);
  // The gate says it again to each that was passed on: that starts no new count.
  keys.note(DIGEST, 30, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBe(0);
  expect(passedOn(keys, 1_000, NOW + 1_000)).toBe(10);
  expect(keys.retryAfterSeconds(DIGEST, NOW + 1_000)).toBe(29);
});

test("nothing is refused once there may be room, and what the gate rounded up is not waited for", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 30, NOW);
  expect(passedOn(keys, 1_000, NOW + 28_999)).toBe(10);
  expect(passedOn(keys, 1_000, NOW + 29_000)).toBe(1_000);
});

test("a wait of one second, which may be none, refuses nothing", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 1, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBe(1_000);
});

test("one key's flood is none of another's", () => {
  const keys = new RefusedKeys();
  keys.note("another's digest", 30, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBe(1_000);
});

test("so many keys are remembered and no more, those noted last", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 30, NOW);
  for (let count = 0; count < 10_000; count += 1) keys.note(`digest ${count}`, 30, NOW);
  expect(passedOn(keys, 1_000, NOW)).toBe(1_000);
});

test("what is forgotten is passed on again, all of it", () => {
  const keys = new RefusedKeys();
  keys.note(DIGEST, 30, NOW);
  keys.forget(DIGEST);
  expect(passedOn(keys, 1_000, NOW)).toBe(1_000);
});
