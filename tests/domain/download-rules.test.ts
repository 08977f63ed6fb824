import { describe, expect, test } from "bun:test";
import type { ReleaseCoding } from "../../schema/contract/release.ts";
import { contentRange, parseRange, rangeStillFits } from "../../worker/domain/download/byte-range.ts";
import { chooseCoding } from "../../worker/domain/download/content-coding.ts";

describe("the coding of a download", () => {
  const both: ReleaseCoding[] = ["zstd", "gzip"];
  test.each<[string | undefined, ReleaseCoding[], ReleaseCoding | null]>([
    [undefined, both, null],
    ["", both, null],
    ["gzip", both, "gzip"],
    ["x-gzip", both, "gzip"],
    ["GZIP", both, "gzip"],
    ["zstd, gzip", both, "zstd"],
    ["gzip, zstd", both, "zstd"],
    ["gzip, deflate, br, zstd", ["gzip"], "gzip"],
    ["gzip;q=1.0, zstd;q=0.5", both, "gzip"],
    ["gzip ; q=0.3 , zstd ; q=0", both, "gzip"],
    ["gzip;q=0", both, null],
    ["br, deflate", both, null],
    ["*", both, "zstd"],
    ["*;q=0", both, null],
    ["*, zstd;q=0", both, "gzip"],
    ["identity", both, null],
    ["identity, gzip;q=0.5", both, null],
    ["identity;q=0.5, gzip", both, "gzip"],
    ["gzip;q=2", both, null],
    ["gzip;q=banana", both, null],
    ["gzip", [], null],
  ])("Accept-Encoding %p with %p stored is answered with %p", (header, available, expected) => {
    expect(chooseCoding(header, available)).toBe(expected);
  });
});

describe("the range of a download of 100 bytes", () => {
  test.each<[string | undefined, ReturnType<typeof parseRange>]>([
    [undefined, null],
    ["bytes=0-0", { offset: 0, length: 1 }],
    ["bytes=10-19", { offset: 10, length: 10 }],
    ["bytes=99-", { offset: 99, length: 1 }],
    ["bytes=0-", { offset: 0, length: 100 }],
    ["bytes=90-1000", { offset: 90, length: 10 }],
    ["bytes=-5", { offset: 95, length: 5 }],
    ["bytes=-1000", { offset: 0, length: 100 }],
    ["Bytes = 1 - 2", { offset: 1, length: 2 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=9999999999999999-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=5-4", null],
    ["bytes=1-2,5-6", null],
    ["bytes=a-b", null],
    ["bytes=-", null],
    ["bytes=1", null],
    ["lines=1-2", null],
    ["bytes=99999999999999999999-", null],
  ])("%p is %p", (header, expected) => {
    expect(parseRange(header, 100)).toEqual(expected);
  });

  test("of an empty file is never satisfiable", () => {
    expect(["bytes=0-", "bytes=-1"].map((header) => parseRange(header, 0))).toEqual(["unsatisfiable", "unsatisfiable"]);
  });

  test("is sent in Content-Range with the size", () => {
    expect(contentRange(100, { offset: 10, length: 10 })).toBe("bytes 10-19/100");
    expect(contentRange(100)).toBe("bytes */100");
  });

  test.each<[string | undefined, boolean]>([
    [undefined, true],
    ['"abc"', true],
    [' "abc" ', true],
    ['W/"abc"', false],
    ['"abc-gzip"', false],
    ["Sun, 01 Mar 2026 12:00:00 GMT", false],
  ])("goes with If-Range %p: %p", (ifRange, expected) => {
    expect(rangeStillFits(ifRange, '"abc"')).toBe(expected);
  });
});
