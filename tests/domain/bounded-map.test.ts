import { expect, test } from "bun:test";
import { BoundedMap } from "../../worker/domain/bounded-map.ts";

test("a bounded map drops the entry that was set longest ago, and setting an entry again makes it the newest", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
