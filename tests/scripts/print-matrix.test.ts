import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ACTIONS } from "../../schema/contract/action.ts";
import { CONNECTION_TYPES } from "../../schema/contract/connection.ts";
import { MATRIX_COLUMNS, MATRIX_FILE_VARIABLE, type MatrixEntry } from "../../scripts/matrix-columns.ts";
import { actionsNotRun, describeMatrix } from "../../scripts/print-matrix.ts";

const CELLS = CONNECTION_TYPES.length * MATRIX_COLUMNS.length;

function entry(state: MatrixEntry["state"], more: Partial<MatrixEntry> = {}): MatrixEntry {
  return { type: "script", column: "action", testId: "one", state, ...more };
}

/** The text of the first cell of the row of scripts. */
function cellOf(text: string): string {
  const row = text.split("\n").find((line) => line.startsWith("script")) ?? "";
  return row.split(/\s{2,}/u)[1] ?? "";
}

describe("a cell of the matrix", () => {
  test.each<[string, MatrixEntry[], string, number]>([
    ["without an entry is missing", [], "MISSING", 0],
    ["whose run passed was run", [entry("failed"), entry("passed")], "run", 0],
    ["whose run did not finish failed", [entry("failed")], "FAILED", 1],
    ["whose second run failed, failed", [entry("failed"), entry("passed"), entry("failed")], "FAILED", 1],
    ["whose first run failed, failed", [entry("failed"), entry("failed"), entry("passed")], "FAILED", 1],
    ["without the start of a run failed", [entry("passed")], "FAILED", 1],
    ["that was skipped is shown as skipped", [entry("skipped", { reason: "not here" })], "skipped", 0],
    ["that was skipped without a reason is wrong", [entry("skipped", { reason: " " })], "NO REASON", 1],
    [
      "with entries of two tests is wrong",
      [entry("failed"), entry("passed"), entry("skipped", { testId: "two", reason: "not here" })],
      "TWO TESTS",
      1,
    ],
  ])("%s", (_, entries, mark, wrong) => {
    const described = describeMatrix(entries);
    expect(cellOf(described.text)).toBe(mark);
    expect(described.wrong).toBe(wrong);
    expect(described.missing).toBe(entries.length === 0 ? CELLS : CELLS - 1);
  });

  test("of a type that was not requested is not shown", () => {
    const { text, missing } = describeMatrix([entry("failed"), entry("passed")], ["script"]);
    expect(text.split("\n").map((line) => line.split(" ")[0])).toEqual(["connection", "script"]);
    expect(missing).toBe(MATRIX_COLUMNS.length - 1);
  });

  test("shows the reason why it was skipped", () => {
    const { text } = describeMatrix([entry("skipped", { reason: "it has no credential" })]);
    expect(text).toContain("skipped  script × action: it has no credential");
  });
});

test("an action that no test ran is listed, unless its type's row has the reason", () => {
  const ran = Object.keys(ACTIONS).filter((action) => !/^(?:redis|ssh)\./u.test(action));
  const skipped = entry("skipped", { type: "ssh", reason: "there is no sshd" });
  expect(actionsNotRun([...ran, "redis.get"], [skipped])).toEqual(["redis.runCommand"]);
});

describe("a row of the matrix", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "bellhop-matrix-"));
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function runRow(cell: string): Promise<{ passed: boolean; states: string[] }> {
    const support = JSON.stringify(join(import.meta.dir, "../support/connection-matrix.ts"));
    const others = MATRIX_COLUMNS.slice(1).map((column) => `${JSON.stringify(column)}: { skip: "another" }`);
    const source = `import { connectionMatrix } from ${support};\nimport { expect } from "bun:test";\nconnectionMatrix("script", { action: { run: async () => { ${cell} } }, ${others.join(", ")} });\n`;
    await writeFile(join(directory, "row.test.ts"), source);
    const written = join(directory, "written");
    const child = Bun.spawn([process.execPath, "test", "./row.test.ts"], {
      cwd: directory,
      env: { ...process.env, [MATRIX_FILE_VARIABLE]: written },
      stdio: ["ignore", "ignore", "ignore"],
    });
    const passed = (await child.exited) === 0;
    const entries = (await readFile(written, "utf8")).trim().split("\n");
    const states = entries
      .map((line): MatrixEntry => JSON.parse(line))
      .filter(({ column }) => column === "action")
      .map(({ state }) => state);
    return { passed, states };
  }

  test.each<[string, string, { passed: boolean; states: string[] }]>([
    ["that passes", "expect(1).toBe(1);", { passed: true, states: ["failed", "passed"] }],
    ["that fails", "expect(1).toBe(2);", { passed: false, states: ["failed"] }],
    ["that breaks off", "process.exit(1);", { passed: false, states: ["failed"] }],
  ])("records the result of a cell %s", async (_, cell, expected) => {
    expect(await runRow(cell)).toEqual(expected);
  });

  test("does not pass when a cell has no assertion", async () => {
    expect((await runRow("await Promise.resolve();")).passed).toBe(false);
  });
});
