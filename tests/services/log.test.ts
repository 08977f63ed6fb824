import { expect, spyOn, test } from "bun:test";
import { logError } from "../../worker/services/log.ts";

test("the values of a failed query's parameters do not reach the log", () => {
  const written = spyOn(console, "error").mockImplementation(() => {});
  try {
    logError("it failed", {
      error: "Error: Failed query: insert into t values (?)\nparams: canary-value,second\n  more",
    });
    const line = String(written.mock.calls[0]?.[0]);
    expect(line).not.toContain("canary-value");
    expect(JSON.parse(line)).toEqual({
      level: "ERROR",
      message: "it failed",
      error: "Error: Failed query: insert into t values (?)",
    });
  } finally {
    written.mockRestore();
  }
});
