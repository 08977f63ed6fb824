import { describe, expect, test } from "bun:test";
import {
  bindSqlValues,
  encodeSqlValue,
  sqlParameterPlaceholder,
  type SqlPlaceholders,
  type SqlValue,
} from "../../schema/contract/sql-values.ts";

const VALUES = { bellhop_value_1: '"one"', bellhop_value_12: "12", id: "true", Id: "null", id2: "[1]" };

describe("a statement with templates in place and named parameters", () => {
  const query = `${sqlParameterPlaceholder("id2")},:bellhop_value_12,:bellhop_parameter_id,:bellhop_parameter_Id,:bellhop_value_1,:bellhop_parameter_id::int`;

  test.each<[SqlPlaceholders, string, SqlValue[]]>([
    ["postgres", "$1,$2,$3,$4,$5,$3::int", ["[1]", 12, true, null, "one"]],
    ["mysql", "?,?,?,?,?,?::int", ["[1]", 12, true, null, "one", true]],
    [
      "sqlserver",
      "@bellhop_parameter_1,@bellhop_value_12,@bellhop_parameter_3,@bellhop_parameter_4,@bellhop_value_1,@bellhop_parameter_3::int",
      ["[1]", 12, true, null, "one"],
    ],
    [
      "sqlite",
      ":bellhop_parameter_1,:bellhop_value_12,:bellhop_parameter_3,:bellhop_parameter_4,:bellhop_value_1,:bellhop_parameter_3::int",
      ["[1]", 12, true, null, "one"],
    ],
  ])("is bound in the placeholders of %s", (placeholders, text, values) => {
    const bound = bindSqlValues(query, VALUES, placeholders);
    expect(bound.text).toBe(text);
    expect(bound.parameters.map(({ value }) => value)).toEqual(values);
    if (placeholders === "mysql") return;
    // The names differ also for a server that ignores case.
    const names = bound.parameters.map(({ name }) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
    if (placeholders !== "postgres") for (const { name } of bound.parameters) expect(text).toContain(name);
  });

  test.each([
    ["a template in place without a space after it", "a=:bellhop_value_1AND b", "a=?AND b"],
    ["a number that no template has", ":bellhop_value_0", ":bellhop_value_0"],
    [
      "a name of more than 63 characters",
      `:bellhop_parameter_${"x".repeat(64)}`,
      `:bellhop_parameter_${"x".repeat(64)}`,
    ],
    ["a name that begins with a digit", ":bellhop_parameter_1", ":bellhop_parameter_1"],
    ["a name of another prefix", ":bellhop_id", ":bellhop_id"],
  ])("reads %s", (_, written, text) => {
    expect(bindSqlValues(written, VALUES, "mysql").text).toBe(text);
  });

  test.each([
    ["has no value", ":bellhop_parameter_gone", {}, "gone"],
    ["has its value in Object.prototype", ":bellhop_parameter_toString", {}, "toString"],
    ["has a value that is not JSON", ":bellhop_parameter_id", { id: "it's" }, ""],
    ["has only the value of a template", ":bellhop_parameter_value_1", VALUES, "value_1"],
  ])("is refused when a parameter %s", (_, written, values, message) => {
    expect(() => bindSqlValues(written, values, "sqlite")).toThrow(message);
  });
});

test("a value keeps its type", () => {
  for (const value of [null, true, 0, -1.5, "5", "", 'it\'s "x"']) {
    const { parameters } = bindSqlValues(":bellhop_parameter_a", { a: encodeSqlValue(value) }, "postgres");
    expect(parameters).toMatchObject([{ value }]);
  }
});
