import { expect, test } from "bun:test";
import { within } from "../../worker/services/within.ts";

test("what hangs fails after its limit, by name; what is in time keeps its own outcome", async () => {
  const hanging = new Promise<never>(() => {});
  await expect(within(5, "the call", hanging)).rejects.toThrow("the call took longer than 5 ms");
  expect(await within(60_000, "the call", Promise.resolve("done"))).toBe("done");
  await expect(within(60_000, "the call", Promise.reject(new Error("its own")))).rejects.toThrow("its own");
});
