import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONNECTION_TYPES } from "../schema/contract/connection.ts";
import { buildConsole } from "./build-console.ts";
import { installPeers } from "./install-peers.ts";
import { actionsNotRun, describeMatrix } from "./print-matrix.ts";
import { cellsAfter, countsAfter, type FileReport } from "./test-report.ts";
import { runTests, type TestRun } from "./test-run.ts";

/** More failing files than these do not fail by chance. */
const RUN_AGAIN_MAX_FILES = 5;

/**
 * `npm test`: every test, with its real peers; `-- <path>` runs a part, `--full` adds slow tests that rarely break. A
 * failed file runs once more, alone: if it then passes, it is listed as unsteady. `--peers` only installs the peers
 * (`npm run test:peers`); with REQUIRE_PEERS=1 a missing one is a failure. Ends with the matrix of connection types and
 * the line `N passed, N failed`.
 */
const args = process.argv.slice(2);
const full = args.includes("--full");
const paths = args.filter((arg) => arg !== "--full");

const missingPeers = await installPeers({ full });
if (args.includes("--peers")) process.exit(missingPeers.length === 0 ? 0 : 1);
if (missingPeers.length > 0 && process.env["REQUIRE_PEERS"] === "1") {
  console.log(
    `REQUIRE_PEERS=1, and these Debian packages are missing: ${missingPeers.join(", ")}.\n0 passed, 1 failed`,
  );
  process.exit(1);
}
// Here, so that no test's set-up has to build it, and a broken console fails first, with the builder's message.
await buildConsole();

const first = await run(["--parallel=2", ...(paths.length > 0 ? paths : ["./tests"])]);
const failedFiles = first.files.filter(({ failed }) => failed > 0);
const again: { before: FileReport; after: TestRun }[] = [];
if (first.exitCode !== 0 && first.isWhole && failedFiles.length > 0 && failedFiles.length <= RUN_AGAIN_MAX_FILES) {
  for (const before of failedFiles) {
    console.log(`\nrun again, alone: ${before.file}\n`);
    again.push({ before, after: await run([`./${before.file}`]) });
  }
}
const unsteady = again.filter(({ after }) => after.exitCode === 0).map(({ before }) => before);
const isGreen = first.exitCode === 0 || (again.length > 0 && unsteady.length === again.length);
const cells = printMatrix();
// A part of the tests has a part of the matrix; all of them have all of it.
const actionsMissing = paths.length === 0 ? printActions() : 0;
const isIncomplete = cells.wrong > 0 || (paths.length === 0 && cells.missing + actionsMissing > 0);
const code = isGreen ? (isIncomplete ? 1 : 0) : first.exitCode;
const { passed, failed, skipped } = countsAfter(
  first.counts,
  again.map(({ before, after }) => ({ before, after: after.counts })),
);
const unsteadyTests = unsteady.flatMap(({ file, failures }) =>
  failures.length === 0 ? [file] : failures.map((name) => `${file}: ${name}`),
);
if (unsteadyTests.length > 0) {
  console.log("unsteady: passed only when run again, alone");
  for (const name of unsteadyTests) console.log(`  ${name}`);
}
if (code !== 0 && failed === 0) console.log(`The runner ended with code ${code}: see above.`);
const parts = [
  `${passed} passed`,
  `${Math.max(failed, code === 0 ? 0 : 1)} failed`,
  ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ...(unsteadyTests.length > 0 ? [`${unsteadyTests.length} unsteady`] : []),
];
console.log(parts.join(", "));
process.exit(code);

async function run(runnerArgs: readonly string[]): Promise<TestRun> {
  const scratch = await mkdtemp(join(tmpdir(), "bellhop-test-"));
  try {
    return await runTests(runnerArgs, { scratch, full });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function printActions(): number {
  const runs = [first, ...again.map(({ after }) => after)];
  const missing = actionsNotRun(
    runs.flatMap(({ actions }) => actions),
    runs.flatMap(({ cells: entries }) => entries),
  );
  for (const action of missing) console.log(`no test ran ${action} to success: add one to tests/executors`);
  return missing.length;
}

function printMatrix(): { missing: number; wrong: number } {
  const runs = again.map(({ after }) => after);
  const entries = runs.reduce((known, after) => cellsAfter(known, after.cells), first.cells);
  const broken = [first, ...runs].reduce((sum, { brokenCells }) => sum + brokenCells, 0);
  if (entries.length + broken === 0 && paths.length > 0) return { missing: 0, wrong: 0 };
  const types = CONNECTION_TYPES.filter((type) => paths.length === 0 || entries.some((entry) => entry.type === type));
  const { text, missing, wrong } = describeMatrix(entries, types);
  console.log(`\n${text}\n`);
  return { missing, wrong: wrong + broken };
}
