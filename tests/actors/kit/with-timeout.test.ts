import { expect, test } from "bun:test";
import { withTimeout } from "../../../worker/actors/kit/with-timeout.ts";

test("what hangs fails after its limit, by name; what is in time keeps its own outcome", async () => {
  const hanging = new Promise<never>(() => {});
  await expect(withTimeout(5, "the call", hanging)).rejects.toThrow("the call took longer than 5 ms");
  expect(await withTimeout(60_000, "the call", Promise.resolve("done"))).toBe("done");
  await expect(withTimeout(60_000, "the call", Promise.reject(new Error("its own")))).rejects.toThrow("its own");
});
