import { expect, test } from "bun:test";
import { describeFailures, sortUnsteady } from "../../scripts/test-summary.ts";

const report = (file: string, names: string[]) => ({
  file,
  passed: 0,
  failed: Math.max(1, names.length),
  skipped: 0,
  failures: names.map((name) => ({ name, error: `Error: of ${name}\n\n  at line 1` })),
});

const lines = (...parts: string[]) => parts.join("\n");

test("each failure has its file, its name, its error and the command that runs it alone", () => {
  const files = [report("tests/a.test.ts", ["group > isn't (a) row", "(unnamed)"]), report("tests/b.test.ts", [])];
  expect(describeFailures(files, ["error: no module"]).trim().split("\n\n")).toEqual([
    "failed:",
    lines(
      "✗ tests/a.test.ts",
      "  group > isn't (a) row",
      "  Error: of group > isn't (a) row",
      "    at line 1",
      String.raw`  npm test -- tests/a.test.ts -t '^group isn'\''t \(a\) row$'`,
    ),
    lines(
      "✗ tests/a.test.ts",
      "  (unnamed)",
      "  Error: of (unnamed)",
      "    at line 1",
      "  npm test -- tests/a.test.ts",
    ),
    lines(
      "✗ tests/b.test.ts",
      "  The file could not be loaded, or its process ended: see its output above.",
      "  npm test -- tests/b.test.ts",
    ),
    lines("✗ an error outside of any test", "  error: no module"),
  ]);
});

test("a long error is cut to 20 lines", () => {
  const error = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
  const text = describeFailures([], [error]);
  expect(text).toContain("line 19\n  …");
  expect(text).not.toContain("line 20");
});

test("a run without failures has no list of them", () => {
  expect(describeFailures([], [])).toBe("");
});

test("an unsteady test is listed by its file and its whole name", () => {
  const known = [{ file: "tests/a.test.ts", test: "group > one", reason: "a slow disk", since: "2026-01-31" }];
  const files = [report("tests/a.test.ts", ["group > one", "one"]), report("tests/b.test.ts", ["group > one"])];
  expect(sortUnsteady([...files, report("tests/c.test.ts", [])], known)).toEqual({
    listed: ["tests/a.test.ts: group > one"],
    unlisted: ["tests/a.test.ts: one", "tests/b.test.ts: group > one", "tests/c.test.ts"],
  });
});
