import { describe, expect, test } from "bun:test";
import { mergedEnvironment } from "../../agent/executors/shared/environment.ts";
import { ExecutorFailure } from "../../agent/executors/shared/failures.ts";
import { checkVariables } from "../../agent/executors/shared/variable-bounds.ts";

function codeOf(...given: Parameters<typeof checkVariables>): string {
  try {
    checkVariables(...given);
    return "fits";
  } catch (error) {
    if (error instanceof ExecutorFailure) return error.code;
    throw error;
  }
}

describe("the size of an environment", () => {
  // `A=` and its NUL take three bytes.
  test.each([
    ["posix", { A: "x".repeat(131_069) }, "fits"],
    ["posix", { A: "x".repeat(131_070) }, "value_too_large"],
    ["posix", { A: "é".repeat(65_535) }, "value_too_large"],
    ["posix", { A: "x".repeat(100_000), B: "x".repeat(100_000) }, "fits"],
    ["windows", { A: "x".repeat(32_764) }, "fits"],
    ["windows", { A: "é".repeat(32_764) }, "fits"],
    ["windows", { A: "\u{1f4a5}".repeat(16_383) }, "value_too_large"],
    ["windows", { A: "x".repeat(32_765) }, "value_too_large"],
    ["windows", { A: "x".repeat(16_380), B: "x".repeat(16_381) }, "fits"],
    ["windows", { A: "x".repeat(16_381), B: "x".repeat(16_381) }, "values_too_large"],
  ] as const)("on %s is limited (%#)", (system, variables, code) => {
    expect(codeOf(variables, system)).toBe(code);
  });

  test("on Windows includes the variables that the agent passes on", () => {
    const variables = { A: "x".repeat(32_000) };
    expect(codeOf(variables, "windows", { ...variables, PATH: "y".repeat(700) })).toBe("fits");
    expect(codeOf(variables, "windows", { ...variables, PATH: "y".repeat(800) })).toBe("values_too_large");
    expect(codeOf(variables, "posix", { ...variables, PATH: "y".repeat(800) })).toBe("fits");
  });
});

test("the later value of a name wins, on Windows for names in any case", () => {
  const sources = [{ Path: "a", B: "b" }, { PATH: "c" }] as const;
  expect(mergedEnvironment("windows", ...sources)).toEqual({ PATH: "c", B: "b" });
  expect(mergedEnvironment("posix", ...sources, { B: "d" })).toEqual({ Path: "a", B: "d", PATH: "c" });
});
