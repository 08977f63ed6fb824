import { describe, expect, test } from "bun:test";
import { jsonObjectSchema, jsonValueSchema } from "../../schema/contract/json.ts";

describe("a JSON value", () => {
  test.each(["null", "true", "0", '""', "[]", "{}", '[1,"a",null,{"b":[{}]}]'])("%s is unchanged", (text) => {
    expect(JSON.stringify(jsonValueSchema.parse(JSON.parse(text)))).toBe(text);
  });

  test.each([
    ["undefined", undefined, ""],
    ["a number that JSON cannot write", { a: [1, { b: Infinity }] }, "a.1.b"],
    ["a date", [new Date(0)], "0"],
    ["a function", { a: () => 1 }, "a"],
    ["a member that is undefined", { a: undefined }, "a"],
  ])("%s is refused with its path", (_, value, path) => {
    const { error } = jsonValueSchema.safeParse(value);
    expect(error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  test("loses keys called __proto__, as in every other schema", () => {
    const value: unknown = JSON.parse('{"a":{"__proto__":{"b":1},"c":2}}');
    expect(JSON.stringify(jsonValueSchema.parse(value))).toBe('{"a":{"c":2}}');
    expect(JSON.stringify(jsonObjectSchema.parse(value))).toBe('{"a":{"c":2}}');
  });
});
