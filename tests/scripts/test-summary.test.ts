import { expect, test } from "bun:test";
import {
  countFailures,
  describeFailures,
  passedAgain,
  sortUnsteady,
  unsteadySchema,
} from "../../scripts/test-summary.ts";

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

test("a failure on sqld is repeated on sqld", () => {
  const files = [{ ...report("tests/a.test.ts", ["one"]), onSqld: true }];
  expect(describeFailures(files, []).trim().split("\n")).toEqual([
    "failed:",
    "",
    "✗ tests/a.test.ts (on sqld)",
    "  one",
    "  Error: of one",
    "    at line 1",
    "  DATABASE=sqld npm test -- tests/a.test.ts -t '^one$'",
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

test("a test that passes when its file runs again is unsteady, also beside one that fails again", () => {
  const before = report("tests/a.test.ts", ["one", "two"]);
  expect(passedAgain(before, report("tests/a.test.ts", ["two"]))).toEqual({
    ...report("tests/a.test.ts", ["one"]),
    failed: 1,
  });
  expect(passedAgain(before, { ...before, failed: 0, failures: [] })).toEqual(before);
});

test("a file without named failures is unsteady when it passes alone", () => {
  const before = report("tests/a.test.ts", []);
  expect(passedAgain(before, { ...before, failed: 0 }).failed).toBe(1);
  expect(passedAgain(before, before).failed).toBe(0);
});

test("an unsteady test is listed by its file and its whole name", () => {
  const known = [{ file: "tests/a.test.ts", test: "group > one", reason: "a slow disk", since: "2026-01-31" }];
  const files = [report("tests/a.test.ts", ["group > one", "one"]), report("tests/b.test.ts", ["group > one"])];
  const { listed, unlisted } = sortUnsteady([...files, report("tests/c.test.ts", [])], known);
  const names = (reports: typeof files) =>
    reports.map(({ file, failures }) => [file, ...failures.map(({ name }) => name)]);
  expect(names(listed)).toEqual([["tests/a.test.ts", "group > one"]]);
  expect(names(unlisted)).toEqual([
    ["tests/a.test.ts", "one"],
    ["tests/b.test.ts", "group > one"],
    ["tests/c.test.ts"],
  ]);
  expect([countFailures(listed), countFailures(unlisted)]).toEqual([1, 3]);
});

test("an entry for a file that does not exist is refused", () => {
  const entry = { file: "tests/gone.test.ts", test: "one", reason: "a slow disk", since: "2026-01-31" };
  expect(unsteadySchema.safeParse([entry]).error?.issues).toMatchObject([{ path: [0, "file"] }]);
  expect(unsteadySchema.parse([{ ...entry, file: "tests/scripts/test-summary.test.ts" }])).toHaveLength(1);
});
