import { expect, test } from "bun:test";
import { describeParts, partsOf, type TestPart } from "../../scripts/test-part.ts";

const WRITES = "tests/objects/workflow-runs.test.ts";
const READS = "tests/routes/docs.test.ts";
const RULES = "tests/domain/steps.test.ts";
const ALL = [RULES, READS, WRITES];

test.each<[string, Partial<Parameters<typeof partsOf>[1]>, TestPart[]]>([
  [
    "all tests: those that write most run again on sqld",
    {},
    [
      { database: "ours", tests: ALL },
      { database: "sqld", tests: [WRITES] },
    ],
  ],
  [
    "the full run: every test of a service runs again on sqld",
    { full: true },
    [
      { database: "ours", tests: ALL },
      { database: "sqld", tests: [READS, WRITES] },
    ],
  ],
  ["named tests: only our server", { isNamed: true }, [{ database: "ours", tests: ALL }]],
  ["DATABASE=sqld: only sqld", { database: "sqld", isNamed: true }, [{ database: "sqld", tests: ALL }]],
])("%s", (_, options, expected) => {
  const parts = partsOf(ALL, { full: false, isNamed: false, ...options });
  expect(parts).toEqual(expected);
});

test("without a test of a service, nothing runs on sqld", () => {
  expect(partsOf([RULES], { full: true, isNamed: false })).toHaveLength(1);
});

test("another value of DATABASE is refused with the possible ones", () => {
  expect(() => partsOf(ALL, { database: "sqlt", full: false, isNamed: false })).toThrow(
    'DATABASE is "sqlt"; the tests run on ours or sqld.',
  );
});

test("the summary names the servers when sqld is one of them", () => {
  const run = (database: "ours" | "sqld") => ({
    part: { database, tests: ALL },
    first: {
      counts: NONE,
      files: [],
      isWhole: true,
      strayErrors: [],
      exitCode: 0,
      cells: [],
      actions: [],
      brokenCells: 0,
    },
    again: [],
    counts: { ...NONE, passed: 7 },
    isRed: false,
  });
  expect(describeParts([run("ours")])).toEqual([]);
  expect(describeParts([run("ours"), run("sqld")])).toEqual([
    "on our server: 3 files, 7 passed, 0 failed, 0 skipped",
    "on sqld: 3 files, 7 passed, 0 failed, 0 skipped",
  ]);
});

const NONE = { passed: 0, failed: 0, skipped: 0 };
