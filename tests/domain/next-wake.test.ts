import { expect, test } from "bun:test";
import { nextWake } from "../../worker/domain/next-wake.ts";

const cases: { what: string; times: number[]; lookedAt: number; expected: number | null }[] = [
  { what: "nothing waits", times: [], lookedAt: 100, expected: null },
  { what: "the earliest counts", times: [300, 200, 400], lookedAt: 100, expected: 200 },
  { what: "what was due and is still there is tried again later", times: [90], lookedAt: 100, expected: 110 },
  { what: "what is tried again does not hold up what comes before", times: [90, 105], lookedAt: 100, expected: 105 },
  {
    what: "before any look a time in the past is due at once",
    times: [90],
    lookedAt: Number.NEGATIVE_INFINITY,
    expected: 90,
  },
];

for (const { what, times, lookedAt, expected } of cases) {
  test(what, () => {
    expect(nextWake(times, lookedAt, 10)).toBe(expected);
  });
}
