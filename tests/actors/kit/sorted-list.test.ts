import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { DueTimes } from "../../../worker/actors/kit/due-times.ts";
import { SortedList } from "../../../worker/actors/kit/sorted-list.ts";

const steps = fc.array(fc.record({ add: fc.boolean(), value: fc.nat(40) }), { maxLength: 200 });

describe("a sorted list", () => {
  test("has the added items that were not removed, in order", () => {
    fc.assert(
      fc.property(steps, (changes) => {
        const list = new SortedList<number>((a, b) => a - b);
        const expected = new Set<number>();
        for (const { add, value } of changes) {
          if (add && !expected.has(value)) list.add(value);
          if (!add) expect(list.delete(value)).toBe(expected.has(value));
          if (add) expected.add(value);
          else expected.delete(value);
          expect(list.size).toBe(expected.size);
          expect(list.first).toBe(expected.size === 0 ? undefined : Math.min(...expected));
          const later = [...expected].filter((each) => each > value);
          expect(list.after(value)).toBe(later.length === 0 ? undefined : Math.min(...later));
        }
        expect([...list]).toEqual([...expected].toSorted((a, b) => a - b));
      }),
    );
  });

  test("keeps thousands of items in order after any additions and removals", () => {
    const list = new SortedList<number>((a, b) => a - b);
    const values = Array.from({ length: 5_000 }, (_, n) => (n * 2_741) % 5_000);
    for (const value of values) list.add(value);
    expect([...list]).toEqual(values.toSorted((a, b) => a - b));
    for (const value of values.filter((each) => each % 3 !== 0)) list.delete(value);
    expect([2, 2_999, 3_000, 4_998].map((value) => list.after(value))).toEqual([3, 3_000, 3_003, undefined]);
    expect([...list]).toEqual(values.filter((each) => each % 3 === 0).toSorted((a, b) => a - b));
  });
});

test("due times return each due item once, and the next due time", () => {
  const times = new DueTimes();
  times.set("a", 30);
  times.set("b", 10);
  times.set("c", 10);
  times.set("d", 20);
  times.set("a", 5);
  times.set("d", null);
  expect(times.earliest).toBe(5);
  expect(times.takeDue(4)).toEqual([]);
  expect(times.takeDue(10)).toEqual(["a", "b", "c"]);
  expect(times.takeDue(100)).toEqual([]);
  expect(times.earliest).toBeNull();
});
