import { expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { asDeclared } from "../support/declared-output.ts";

const RIGHT: JsonObject = { value: "on", found: true };

test.each<[string, JsonObject, string | null]>([
  ["all that is declared", { ...RIGHT, encoding: "utf8" }, null],
  ["no optional value", RIGHT, null],
  ["a part, because it was cut", { value: "o", truncated: true }, null],
  ["another value", { ...RIGHT, length: 2 }, "it does not declare length"],
  ["no required value", { value: "on" }, "found is missing"],
])("an output with %s is compared with the descriptor", (_, output, problem) => {
  const check = () => asDeclared("redis.get", { status: "succeeded", output }, null);
  if (problem === null) expect(check).not.toThrow();
  else expect(check).toThrow(problem);
});

test("the output of a failed action is not compared", () => {
  expect(() => asDeclared("redis.get", { status: "failed", output: { reply: 1 } }, null)).not.toThrow();
});
