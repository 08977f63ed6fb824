import { describe, expect, test } from "bun:test";
import { waitAtMost, withTimeout } from "../../../worker/actors/kit/with-timeout.ts";

const hanging = new Promise<never>(() => {});

test("work that hangs fails with its name after its limit, and work in time keeps its outcome", async () => {
  await expect(withTimeout(5, "the call", hanging)).rejects.toThrow("the call took longer than 5 ms");
  expect(await withTimeout(60_000, "the call", Promise.resolve("done"))).toBe("done");
  await expect(withTimeout(60_000, "the call", Promise.reject(new Error("the work failed")))).rejects.toThrow(
    "the work failed",
  );
});

describe("waitAtMost", () => {
  test("resolves after the limit when the work hangs", async () => {
    expect(await waitAtMost(5, hanging)).toBeUndefined();
  });

  test("passes on the failure of work that ends before the limit", async () => {
    await expect(waitAtMost(60_000, Promise.reject(new Error("the work failed")))).rejects.toThrow("the work failed");
  });
});
