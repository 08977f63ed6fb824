import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../chaos/random.ts";
import { describeFault, drawSchedule } from "../../chaos/schedule.ts";
import { drawFate, FAIR, WEATHERS } from "../../chaos/weather.ts";

const MINUTE_MS = 60_000;
const SEEDS = ["1", "2", "3", "seed", "other"];

describe("a schedule", () => {
  test("is the same for the same seed, and differs for another seed", () => {
    expect(drawSchedule("1", 2 * MINUTE_MS)).toEqual(drawSchedule("1", 2 * MINUTE_MS));
    expect(drawSchedule("1", 2 * MINUTE_MS).faults).not.toEqual(drawSchedule("2", 2 * MINUTE_MS).faults);
  });

  test.each(SEEDS)("of a minute has every kind of fault (seed %s)", (seed) => {
    const kinds = new Set<string>(drawSchedule(seed, MINUTE_MS).faults.map(({ fault }) => fault.kind));
    expect([...kinds].sort()).toEqual(
      "disable evict freeze holdRuns kill move moveConnection pause pauseRuns refuse regenerateKey restart weather".split(
        " ",
      ),
    );
  });

  test.each(SEEDS)("ends all its faults in time, and starts after a calm period (seed %s)", (seed) => {
    const { faults } = drawSchedule(seed, MINUTE_MS);
    expect(Math.min(...faults.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(9_000);
    expect(Math.max(...faults.map(({ atMs, lastsMs }) => atMs + lastsMs))).toBeLessThanOrEqual(MINUTE_MS);
  });

  test.each(SEEDS)("has at most one fault per process at a time (seed %s)", (seed) => {
    const { faults } = drawSchedule(seed, 10 * MINUTE_MS);
    for (const name of ["agent-1", "agent-2", "agent-3", "service", "database"]) {
      const own = faults.filter(
        ({ fault }) => (fault.kind === "kill" || fault.kind === "pause") && fault.target === name,
      );
      for (const [index, { atMs }] of own.entries()) {
        const before = own[index - 1];
        if (before !== undefined) expect(atMs).toBeGreaterThan(before.atMs + before.lastsMs);
      }
    }
  });

  test("of ten minutes pauses agents until they are lost, and keeps the ends of minutes calm", () => {
    const { faults } = drawSchedule("1", 10 * MINUTE_MS);
    const long = faults.filter(({ fault, lastsMs }) => fault.kind === "pause" && lastsMs > 95_000);
    expect(long).toHaveLength(2);
    const others = faults.filter((fault) => !long.includes(fault));
    expect(others.some(({ atMs, lastsMs }) => atMs < 2 * MINUTE_MS && atMs + lastsMs > 2 * MINUTE_MS - 20_000)).toBe(
      false,
    );
  });

  test("describes each fault in words", () => {
    const lines = drawSchedule("1", 10 * MINUTE_MS).faults.map(({ fault }) => describeFault(fault));
    expect(lines).toContain("kill -9 service");
    expect(lines.filter((line) => line.includes("undefined") || line.includes("  "))).toEqual([]);
  });
});

describe("the random source", () => {
  test("of a fork does not depend on draws of other forks", () => {
    const one = seededRandom("s");
    const other = seededRandom("s");
    for (let times = 0; times < 5; times++) other.next();
    expect(one.fork("a").next()).toBe(other.fork("a").next());
    expect(one.fork("a").next()).not.toBe(one.fork("b").next());
  });

  test("is spread evenly", () => {
    const random = seededRandom("even");
    const drawn = Array.from({ length: 10_000 }, () => random.whole(0, 9));
    const counts = Array.from({ length: 10 }, (_, value) => drawn.filter((one) => one === value).length);
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1_150);
  });

  test("shuffles without losing items, and refuses to pick from an empty list", () => {
    expect(seededRandom("x").shuffled([1, 2, 3, 4, 5, 6]).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(() => seededRandom("x").pick([])).toThrow("nothing to pick from");
  });
});

describe("weather", () => {
  test("that is fair lets every request pass", () => {
    const random = seededRandom("fair");
    for (let times = 0; times < 100; times++) expect(drawFate(FAIR, random)).toEqual({ type: "pass" });
  });

  test("gives each fate its share", () => {
    const random = seededRandom("shares");
    const fates = Array.from({ length: 5_000 }, () => drawFate(WEATHERS.everything, random).type);
    for (const [type, share] of Object.entries(WEATHERS.everything)) {
      const found = fates.filter((fate) => fate === type).length / fates.length;
      expect(Math.abs(found - share)).toBeLessThan(0.03);
    }
  });
});
