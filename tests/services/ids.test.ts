import { expect, test } from "bun:test";
import { idSchema } from "../../schema/contract/ids.ts";
import { mintedAt, newId } from "../../worker/services/ids.ts";

test("an id has its kind's prefix and sorts by time", () => {
  const early = newId("execution", Date.parse("2026-11-21T00:00:00.000Z"));
  const late = newId("execution", Date.parse("2026-11-21T00:00:00.001Z"));
  expect(idSchema("execution").safeParse(early).success).toBe(true);
  expect(idSchema("job").safeParse(early).success).toBe(false);
  expect(early < late).toBe(true);
});

test("the time can be read back from an id (RFC 9562, 5.7), and from no other text", () => {
  const now = Date.parse("2026-11-21T12:34:56.789Z");
  const id = newId("execution", now);
  expect(mintedAt("execution", id)).toBe(now);
  expect(mintedAt("job", id)).toBeNull();
  expect(mintedAt("execution", `${id}0`)).toBeNull();
});

test("ids of one millisecond differ", () => {
  const ids = Array.from({ length: 1_000 }, () => newId("event", 1));
  expect(new Set(ids).size).toBe(1_000);
});
