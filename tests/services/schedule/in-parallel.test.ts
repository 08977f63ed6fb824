import { expect, test } from "bun:test";
import { inParallel } from "../../../worker/services/schedule/in-parallel.ts";

const never = () => false;

test("every item is processed in order, with no more at the same time than the limit", async () => {
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  await inParallel([1, 2, 3, 4, 5, 6, 7], 3, never, async (item) => {
    begun.push(item);
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test("a slow item delays only its own lane", async () => {
  const slow = Promise.withResolvers<void>();
  const done: string[] = [];
  const all = inParallel(["slow", "a", "b", "c"], 2, never, async (item) => {
    if (item === "slow") await slow.promise;
    done.push(item);
    if (item === "c") slow.resolve();
  });
  await all;
  expect(done).toEqual(["a", "b", "c", "slow"]);
});

test("no further item is begun once the callback says so", async () => {
  const begun: number[] = [];
  await inParallel(
    [1, 2, 3, 4, 5, 6],
    2,
    () => begun.length >= 3,
    async (item) => {
      begun.push(item);
      await Promise.resolve();
    },
  );
  expect(begun.length).toBeLessThan(6);
  expect(begun).toEqual([1, 2, 3, 4, 5, 6].slice(0, begun.length));
});

test("an empty list ends immediately", async () => {
  await inParallel([], 5, never, () => Promise.reject(new Error("nothing to do")));
});
