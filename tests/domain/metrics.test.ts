import { describe, expect, test } from "bun:test";
import { quantiles } from "../../worker/domain/metrics/quantiles.ts";

describe("each quantile is one of the values", () => {
  test.each([
    ["of none", [], []],
    ["of one", [7], [7, 7, 7]],
    ["of three, in any order", [3, 1, 2], [2, 3, 3]],
    ["of a hundred", Array.from({ length: 100 }, (_, i) => i + 1), [50, 90, 99]],
  ])("%s", (_what, values, expected) => {
    expect(quantiles(values).map(({ value }) => value)).toEqual(expected);
  });
});
