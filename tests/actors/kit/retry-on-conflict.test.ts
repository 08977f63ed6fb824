import { expect, test } from "bun:test";
import { DatabaseError } from "../../../worker/store/hrana.ts";
import { retryOnConflict } from "../../../worker/actors/kit/retry-on-conflict.ts";

const CONFLICT = new DatabaseError("SQLITE_CONSTRAINT_PRIMARYKEY", "UNIQUE constraint failed", false);

test("an attempt is repeated while it conflicts, and returns the result of the last one", async () => {
  const outcomes: (() => string | null)[] = [
    () => null,
    () => {
      throw CONFLICT;
    },
    () => "done",
  ];
  expect(await retryOnConflict("This", async () => outcomes.shift()?.() ?? null)).toBe("done");
});

test("ten failed attempts throw a conflict that says what to do", async () => {
  let attempts = 0;
  const result = retryOnConflict("This incident", () => {
    attempts += 1;
    return Promise.reject(CONFLICT);
  });
  await expect(result).rejects.toMatchObject({
    code: "conflict",
    message: "This incident is being changed by others at the same moment. Try again.",
    cause: CONFLICT,
  });
  expect(attempts).toBe(10);
});

test("a conflict that another attempt cannot resolve, and any other error, is thrown immediately", async () => {
  const always = { isFinal: () => true };
  await expect(retryOnConflict("This", () => Promise.reject(CONFLICT), always)).rejects.toBe(CONFLICT);
  const broken = new Error("libSQL is away");
  await expect(retryOnConflict("This", () => Promise.reject(broken))).rejects.toBe(broken);
});
