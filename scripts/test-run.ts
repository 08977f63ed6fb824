import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ActionRun, MATRIX_FILE_VARIABLE, type MatrixEntry } from "./matrix-columns.ts";
import { ROOT } from "./paths.ts";
import { readRun, type RunReport, type TestedDatabase } from "./test-report.ts";

export interface TestRun extends RunReport {
  exitCode: number;
  cells: MatrixEntry[];
  /** The actions that some test ran to success. */
  actions: string[];
  /** Lines of the matrix that a run which was killed has left half written. */
  brokenCells: number;
}

/** Names the file in which the run's test files share the bundled Worker. */
export const WORKER_FILE_VARIABLE = "BELLHOP_WORKER_FILE";

/** Runs Bun's test runner and shows its output. `scratch` is an empty directory for this run alone. */
export async function runTests(
  args: readonly string[],
  { scratch, full, database }: { scratch: string; full: boolean; database: TestedDatabase },
): Promise<TestRun> {
  const matrixFile = join(scratch, "matrix");
  const junitFile = join(scratch, "junit.xml");
  const reporter = ["--reporter=junit", `--reporter-outfile=${junitFile}`];
  const child = Bun.spawn([process.execPath, "test", "--timeout", "120000", ...reporter, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE: database === "sqld" ? database : undefined,
      [MATRIX_FILE_VARIABLE]: matrixFile,
      [WORKER_FILE_VARIABLE]: join(scratch, "worker.js"),
      ...(full ? { BELLHOP_TEST_FULL: "1" } : {}),
    },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe",
  });
  const decoder = new TextDecoder();
  let printed = "";
  for await (const chunk of child.stderr) {
    process.stderr.write(chunk);
    printed += decoder.decode(chunk, { stream: true });
  }
  const exitCode = await child.exited;
  const lines = (await textOf(matrixFile)).split("\n").filter((line) => line !== "");
  const entries = lines.flatMap((line) => entryOf(line) ?? []);
  const cells = entries.filter((entry): entry is MatrixEntry => "column" in entry);
  const actions = entries.flatMap((entry) => ("ran" in entry ? entry.ran : []));
  const report = readRun(printed, await textOf(junitFile));
  const files = database === "sqld" ? report.files.map((file) => ({ ...file, onSqld: true })) : report.files;
  return { ...report, files, exitCode, cells, actions, brokenCells: lines.length - entries.length };
}

async function textOf(file: string): Promise<string> {
  return await readFile(file, "utf8").catch(() => "");
}

function entryOf(line: string): MatrixEntry | ActionRun | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
