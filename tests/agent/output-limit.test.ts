import { expect, test } from "bun:test";
import { jsonBytes, limitOutput } from "../../agent/jobs/output-limit.ts";
import type { JsonObject } from "../../schema/contract/json.ts";

const LIMIT = 1_000;

test("an output within the limit is unchanged", () => {
  const output: JsonObject = { stdout: "hello", rows: [1, 2] };
  expect(limitOutput(output, LIMIT)).toBe(output);
});

const large: [string, JsonObject, (limited: JsonObject) => void][] = [
  [
    "a long string keeps its beginning",
    { stdout: `begin${"x".repeat(5_000)}`, exitCode: 3 },
    (limited) => {
      expect(String(limited["stdout"])).toStartWith("beginxxx");
      expect(limited["exitCode"]).toBe(3);
    },
  ],
  [
    "the longer of two strings is cut first",
    { stdout: "x".repeat(5_000), stderr: "the reason" },
    (limited) => expect(limited["stderr"]).toBe("the reason"),
  ],
  [
    "two long strings are both cut",
    { stdout: "x".repeat(5_000), stderr: "y".repeat(6_000) },
    (limited) => expect(String(limited["stdout"])).toStartWith("xxx"),
  ],
  [
    "a long list keeps its first rows",
    { rows: Array.from({ length: 500 }, (_, id) => ({ id })), rowCount: 500 },
    (limited) => expect(limited["rows"]).toEqual(expect.arrayContaining([{ id: 0 }, { id: 1 }])),
  ],
  [
    "a large object becomes the beginning of its JSON",
    { body: Object.fromEntries(Array.from({ length: 500 }, (_, id) => [`key${id}`, id])) },
    (limited) => expect(String(limited["body"])).toStartWith('{"key0":0,'),
  ],
  ["characters of many bytes are counted as bytes", { stdout: "€\n\u0001".repeat(900) }, () => undefined],
  [
    "no surrogate pair is split",
    { stdout: "😀".repeat(900) },
    (limited) => {
      expect(String(limited["stdout"]).isWellFormed()).toBe(true);
    },
  ],
  [
    "a huge name leaves only truncated",
    { ["n".repeat(5_000)]: 1 },
    (limited) => {
      expect(limited).toEqual({ truncated: true, droppedBytes: 5_006 });
    },
  ],
];

for (const [what, output, check] of large) {
  test(`an output above the limit is cut: ${what}`, () => {
    const limited = limitOutput(output, LIMIT);
    expect(jsonBytes(limited)).toBeLessThanOrEqual(LIMIT);
    expect(limited["truncated"]).toBe(true);
    check(limited);
  });
}

test.each<[string, JsonObject]>([
  ["of a text", { stdout: "é".repeat(5_000) }],
  ["with those of an earlier cut", { stdout: "é".repeat(5_000), truncated: true, droppedBytes: 700 }],
  ["of two texts with line breaks", { stdout: "a\n".repeat(3_000), stderr: "b\n".repeat(3_000) }],
])("an output above the limit says how many bytes were dropped: %s", (_, output) => {
  const limited = limitOutput(output, LIMIT);
  const textBytes = ({ stdout = "", stderr = "" }: JsonObject) =>
    Buffer.byteLength(`${String(stdout)}${String(stderr)}`);
  const before = typeof output["droppedBytes"] === "number" ? output["droppedBytes"] : 0;
  expect(limited["droppedBytes"]).toBe(before + textBytes(output) - textBytes(limited));
});

test("an output that was cut before without a count has none after a second cut", () => {
  const limited = limitOutput({ body: "x".repeat(5_000), truncated: true }, LIMIT);
  expect(limited).toMatchObject({ truncated: true });
  expect(limited).not.toHaveProperty("droppedBytes");
});
