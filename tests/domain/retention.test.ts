import { describe, expect, test } from "bun:test";
import { choosePeriods, periodsAt } from "../../worker/domain/retention.ts";
import type { ChosenPeriods } from "../../worker/domain/retention.ts";

type Periods = { a: number; b: number };

const HOUR_MS = 3_600_000;
const chosen = (a: number, b: number): ChosenPeriods<Periods> => ({ periods: { a, b }, former: null });
const choose = (before: ChosenPeriods<Periods>, a: number, b: number, atHours: number) =>
  choosePeriods(before, { a, b }, atHours * HOUR_MS);
const at = (periods: ChosenPeriods<Periods>, hours: number) => periodsAt(periods, hours * HOUR_MS);

describe("a change of a period", () => {
  test("to a longer one applies at once", () => {
    expect(at(choose(chosen(90, 30), 120, 30, 0), 0)).toEqual({ a: 120, b: 30 });
  });

  test("to a shorter one applies after 24 hours, and not a moment earlier", () => {
    const shorter = choose(chosen(90, 30), 10, 60, 0);
    expect(at(shorter, 0)).toEqual({ a: 90, b: 60 });
    expect(periodsAt(shorter, 24 * HOUR_MS - 1)).toEqual({ a: 90, b: 60 });
    expect(at(shorter, 24)).toEqual({ a: 10, b: 60 });
  });

  test("can be taken back within 24 hours", () => {
    const back = choose(choose(chosen(90, 30), 10, 30, 0), 90, 30, 23);
    for (const hours of [23, 24, 48]) expect(at(back, hours)).toEqual({ a: 90, b: 30 });
  });

  test("that is already pending keeps its time when another period becomes longer", () => {
    const pending = choose(chosen(90, 30), 10, 30, 0);
    expect(at(choose(pending, 10, 60, 12), 24)).toEqual({ a: 10, b: 60 });
  });

  test("that is pending waits again when another period becomes shorter, too", () => {
    const both = choose(choose(chosen(90, 30), 10, 30, 0), 10, 5, 12);
    expect(at(both, 24)).toEqual({ a: 90, b: 30 });
    expect(at(both, 36)).toEqual({ a: 10, b: 5 });
  });
});

test("after any changes, no period applies that was not chosen for a day, unless it is longer than before", () => {
  for (let run = 0; run < 200; run += 1) {
    let periods = chosen(50, 50);
    const choices = [{ hours: -24, days: 50 }];
    let hours = 0;
    let applied = 50;
    for (let step = 0; step < 40; step += 1) {
      hours += Math.floor(Math.random() * 15);
      if (Math.random() < 0.6) {
        const days = 1 + Math.floor(Math.random() * 100);
        periods = choose(periods, days, 50, hours);
        choices.push({ hours, days });
      }
      const now = at(periods, hours).a;
      // Shorter than before: every choice of the last 24 hours, and the one before them, allow it.
      const first = choices.findLastIndex((choice) => choice.hours <= hours - 24);
      const recent = choices.slice(Math.max(0, first)).map(({ days }) => days);
      if (now < applied) expect(now).toBeGreaterThanOrEqual(Math.min(...recent));
      expect(now).toBeGreaterThanOrEqual(choices.at(-1)?.days ?? 0);
      applied = now;
    }
  }
});
