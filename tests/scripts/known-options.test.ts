import { expect, test } from "bun:test";
import { optionProblem } from "../../scripts/known-options.ts";

test.each<[string[], string | null]>([
  [["tests/domain", "--changed=HEAD~1"], null],
  [["--chnged"], "bellhop: npm test has no option --chnged. Did you mean --changed?"],
  [["--port", "9000"], "bellhop: npm test has no option --port."],
])("arguments %j: %p", (args, problem) => {
  expect(optionProblem("npm test", args, ["--changed", "--full"])).toBe(problem);
});
