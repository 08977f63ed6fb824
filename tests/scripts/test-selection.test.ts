import { describe, expect, test } from "bun:test";
import {
  changedFiles,
  chosenTests,
  nothingChosen,
  opensConsole,
  readSources,
  splitArguments,
  testFiles,
  testsAffectedBy,
  withoutSlow,
} from "../../scripts/test-selection.ts";

const sources = await readSources();
const affected = (path: string) => testsAffectedBy([path], sources);

describe("the tests that a changed file can affect", () => {
  test("import it, through any number of files", () => {
    const tests = affected("scripts/test-report.ts");
    expect(tests).toContain("tests/scripts/test-report.test.ts");
    expect(tests).not.toContain("tests/domain/cron-decide.test.ts");
  });

  test("run the Worker that is bundled with it", () => {
    expect(affected("worker/http/openapi/document.ts")).toContain("tests/routes/agents.test.ts");
  });

  test("read it as a page, a script or a member of a folder", () => {
    expect(affected("docs/connections/redis.md")).toContain("tests/docs/connection-pages.test.ts");
    expect(affected("worker/http/install/install.sh")).toContain("tests/scripts/install-sh.test.ts");
  });

  test("open the console that contains it", () => {
    const tests = affected("console/ui/confirm.tsx");
    expect(tests).toContain("tests/console/agents.test.ts");
    expect(tests).not.toContain("tests/routes/agents.test.ts");
  });

  test("are the file itself, where it is a test", () => {
    expect(affected("tests/domain/cron-decide.test.ts")).toContain("tests/domain/cron-decide.test.ts");
  });

  test("are all tests for a changed dependency", () => {
    expect(affected("package-lock.json")).toEqual(testFiles(sources));
  });
});

test.each([
  [["tests/domain"], false],
  [["tests/domain", "-t", "console"], false],
  [["./tests/console/agents.test.ts"], true],
  [["designer"], true],
  [["-t", "a name"], true],
  [[], true],
])("the tests of %j open the console: %p", (paths, opens) => {
  expect(opensConsole(chosenTests(splitArguments(paths).filters, sources), sources)).toBe(opens);
});

test("the value of an option is not a path", () => {
  expect(splitArguments(["tests/domain", "-t", "a name", "--bail"])).toEqual({
    filters: ["tests/domain"],
    options: ["-t", "a name", "--bail"],
  });
});

test("npm test leaves out the files of tests/full-only.json, which all exist, and prints why", async () => {
  const all = testFiles(sources);
  const { tests, skipped } = await withoutSlow(all);
  const leftOut = all.filter((file) => !tests.includes(file));
  expect(leftOut).toContain("tests/e2e/chaos.test.ts");
  const counted = skipped.map((line) => Number(/^skipped {2}(\d+) files, .*: \w/u.exec(line)?.[1]));
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(leftOut.length);
});

test("a path without tests is reported with the nearest one", () => {
  expect(chosenTests(["tests/domian"], sources)).toEqual([]);
  expect(nothingChosen(["tests/domian"], sources)).toBe(
    "bellhop: no test file matches tests/domian. Did you mean tests/domain?",
  );
});

test("a commit that git does not know is reported", async () => {
  const error: unknown = await changedFiles("no-such-commit").catch((caught: unknown) => caught);
  expect(String(error)).toContain("no-such-commit");
});
