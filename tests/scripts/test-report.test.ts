import { describe, expect, test } from "bun:test";
import { cellsAfter, countsAfter, readRun } from "../../scripts/test-report.ts";
import type { MatrixEntry } from "../../scripts/matrix-columns.ts";

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="5" assertions="2" failures="2" skipped="1" time="0.02">
  <testsuite name="tests/a.test.ts" file="tests/a.test.ts" tests="3" assertions="1" failures="2" skipped="1" time="0.002" hostname="vm">
    <testcase name="fails &lt;in&gt; &quot;a&quot;" classname="" time="0.0003" file="tests/a.test.ts" line="2" assertions="1">
      <failure type="AssertionError" message="expect(received)&#10;">AssertionError: &lt;testcase name=&quot;none&quot;&gt;&#10;  at a:1&#10;</failure>
    </testcase>
    <testsuite name="group" file="tests/a.test.ts" line="2" tests="2" assertions="1" failures="1" skipped="1" time="0" hostname="vm">
      <testcase name="inner" classname="group &gt; outer" time="0.0003" file="tests/a.test.ts" line="3" assertions="1">
        <failure type="Error" message="hook" />
      </testcase>
      <testcase name="s" classname="group" time="0" file="tests/a.test.ts" line="3" assertions="0">
        <skipped />
      </testcase>
    </testsuite>
  </testsuite>
  <testsuite name="tests/sub/b.test.ts" file="tests/sub/b.test.ts" tests="2" assertions="1" failures="0" skipped="0" time="0.0008" hostname="vm">
    <testsuite name="group" file="tests/sub/b.test.ts" line="2" tests="2" assertions="1" failures="0" skipped="0" time="0" hostname="vm">
      <testcase name="ok b" classname="group" time="0.000016" file="tests/sub/b.test.ts" line="2" assertions="1" />
      <testcase name="ok c" classname="group" time="0.000016" file="tests/sub/b.test.ts" line="2" assertions="1" />
    </testsuite>
  </testsuite>
</testsuites>`;
const A = {
  file: "tests/a.test.ts",
  passed: 0,
  failed: 2,
  skipped: 1,
  failures: [
    { name: 'fails <in> "a"', error: 'AssertionError: <testcase name="none">\n  at a:1' },
    { name: "outer > group > inner", error: "hook" },
  ],
};
const B = { file: "tests/sub/b.test.ts", passed: 2, failed: 0, skipped: 0, failures: [] };
const lost = (file: string) => ({ file, passed: 0, failed: 1, skipped: 0, failures: [] });

function printed({ more = "", failed = 2 } = {}): string {
  return `bun test v1.4.5 (a7733435c) 2x PARALLEL

tests/a.test.ts:
(fail) fails <in> "a" [0.30ms]
 7 fail

tests/sub/b.test.ts:
(pass) group > ok b
${more}

 2 pass
 1 skip
 ${failed} fail
 2 expect() calls
Ran 5 tests across 2 files. [20.00ms]
`;
}

describe("a run of the tests", () => {
  test("says of every file what passed, what failed and what was skipped", () => {
    expect(readRun(printed(), JUNIT)).toEqual({
      counts: { passed: 2, failed: 2, skipped: 1 },
      files: [A, B],
      isWhole: true,
      strayErrors: [],
    });
  });

  test("in colours says the same", () => {
    const colourful = printed()
      .replaceAll(/^ .*$/gmu, (line) => `\u001B[31m${line}\u001B[0m`)
      .replace("Ran", "\u001B[2mRan");
    expect(readRun(colourful, JUNIT)).toEqual(readRun(printed(), JUNIT));
  });

  test.each([
    ["could not be loaded", "tests/c.test.ts:\n\n# Unhandled error between tests\n-----\nerror: no module\n-----"],
    ["lost its process", "tests/c.test.ts:\n✗ tests/c.test.ts (worker crashed: SIGSEGV)"],
    ["was not begun", "✗ tests/c.test.ts (aborted: worker panicked)"],
  ])("counts a file that %s as one failure", (_, more) => {
    const { files, isWhole } = readRun(printed({ more, failed: 3 }), JUNIT);
    expect(files).toEqual([A, B, lost("tests/c.test.ts")]);
    expect(isWhole).toBe(true);
  });

  test("reports the errors that belong to no test", () => {
    const more = "# Unhandled error between tests\n-----\nerror: no module\n  at b:1\n-----\n";
    expect(readRun(printed({ more }), JUNIT).strayErrors).toEqual(["error: no module\n  at b:1"]);
  });

  test("with a failure that belongs to no file is not whole", () => {
    expect(readRun(printed({ failed: 3 }), JUNIT).isWhole).toBe(false);
  });

  test("that was broken off is not whole", () => {
    const brokenOff = printed().replace(/^Ran .*$/mu, "");
    expect(readRun(brokenOff, JUNIT).isWhole).toBe(false);
    expect(readRun("", "")).toEqual({
      counts: { passed: 0, failed: 0, skipped: 0 },
      files: [],
      isWhole: false,
      strayErrors: [],
    });
  });
});

test("the second run of a file replaces its first in the counts", () => {
  const first = { passed: 10, failed: 3, skipped: 2 };
  const steady = { before: A, after: { passed: 2, failed: 0, skipped: 1 } };
  const failing = { before: lost("tests/c.test.ts"), after: { passed: 4, failed: 1, skipped: 0 } };
  expect(countsAfter(first, [])).toEqual(first);
  expect(countsAfter(first, [steady, failing])).toEqual({ passed: 16, failed: 1, skipped: 2 });
});

describe("a cell of the matrix whose file was run again", () => {
  const entry = (
    state: MatrixEntry["state"],
    testId: string,
    column: MatrixEntry["column"] = "action",
  ): MatrixEntry => ({
    type: "ssh",
    column,
    testId,
    state,
  });

  test("is what the second run made of it, and others stay", () => {
    const other = entry("passed", "1", "cancel");
    const again = [entry("failed", "2"), entry("passed", "2")];
    expect(cellsAfter([entry("failed", "1"), other], again)).toEqual([other, ...again]);
  });

  test("stays wrong when two tests fill it", () => {
    const first = [entry("passed", "1"), entry("failed", "2")];
    expect(cellsAfter(first, [entry("passed", "3")])).toEqual([...first, entry("passed", "3")]);
  });

  test("stays as it was when the second run wrote nothing of it", () => {
    expect(cellsAfter([entry("failed", "1")], [])).toEqual([entry("failed", "1")]);
  });
});
