import { describe, expect, test } from "bun:test";
import { forEachLabels } from "../../console/views/workflows/labels.ts";

describe("the rules of a forEach", () => {
  test("are in its description when they are set", () => {
    expect(forEachLabels({})).toEqual([]);
    expect(
      forEachLabels({
        concurrency: 2,
        batchSize: 5,
        pauseSeconds: 30,
        maxFailures: "10%",
        continueOnError: true,
        check: { logic: "all", conditions: [{ field: "foreach.failed", operator: "equals", value: 0 }] },
      }),
    ).toEqual([
      "2 at a time",
      "batches of 5",
      "pause of 30 seconds between batches",
      "allowed failures: 10%",
      "succeeds despite allowed failures",
      "a further batch only if foreach.failed is 0",
    ]);
    expect(forEachLabels({ pauseSeconds: 0, continueOnError: false, maxFailures: 0 })).toEqual(["allowed failures: 0"]);
  });
});
