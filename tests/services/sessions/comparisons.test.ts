import { expect, test } from "bun:test";
import { Comparisons } from "../../../worker/services/sessions/comparisons.ts";

const NOW = 1_800_000_000_000;

test("sixteen comparisons run at the same time; the next one gets Retry-After until one has ended", async () => {
  const comparisons = new Comparisons();
  const held = Array.from({ length: 16 }, () => Promise.withResolvers<boolean>());
  const [first, ...others] = held.map(({ promise }) => comparisons.run(NOW, () => promise));
  const busy = await comparisons.run(NOW, () => Promise.resolve(true)).catch((error: unknown) => error);
  expect(busy).toMatchObject({ code: "unavailable", headers: { "Retry-After": "1" } });
  held[0]?.reject(new Error("broken"));
  expect(await first?.catch(() => "rejected")).toBe("rejected");
  expect(await comparisons.run(NOW, () => Promise.resolve(true))).toBe(true);
  for (const { resolve } of held) resolve(false);
  expect(new Set(await Promise.all(others))).toEqual(new Set([false]));
});

test("a comparison of an aborted request keeps its place for ten seconds", async () => {
  const comparisons = new Comparisons();
  const never = new Promise<boolean>(() => undefined);
  for (let i = 0; i < 16; i += 1) void comparisons.run(NOW, () => never);
  const at = (now: number) => comparisons.run(now, () => Promise.resolve("ran")).catch(() => "refused");
  expect(await at(NOW + 9_999)).toBe("refused");
  expect(await at(NOW + 10_000)).toBe("ran");
});
