import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "./build-console.ts";
import { installPeers } from "./install-peers.ts";
import { ROOT } from "./paths.ts";
import { refuseUnknownOptions } from "./known-options.ts";
import { actionsNotRun, describeMatrix } from "./print-matrix.ts";
import { cellsAfter, countsAfter, type FileReport } from "./test-report.ts";
import { runTests, type TestRun } from "./test-run.ts";
import {
  changedFiles,
  chosenTests,
  nothingChosen,
  opensConsole,
  readSources,
  splitArguments,
  testsAffectedBy,
} from "./test-selection.ts";
import { countFailures, describeFailures, passedAgain, sortUnsteady, unsteadySchema } from "./test-summary.ts";

/** More failing files than these have a common cause, not chance. */
const RUN_AGAIN_MAX_FILES = 5;

const OWN_OPTIONS = ["--full", "--peers", "--changed"];
/** Options of Bun's runner that make sense for a part of the tests. */
const RUNNER_OPTIONS = ["-t", "--test-name-pattern", "--bail", "--timeout", "--rerun-each", "--only"];

/**
 * `npm test`: every test, with its real peers. `-- <path>` runs a part, `-- --changed[=<commit>]` the tests that can
 * notice what differs from a commit (HEAD), `--full` adds slow tests that rarely break. A failed file runs once more,
 * alone: a test that then passes is unsteady, and fails the run unless tests/unsteady.json lists it. `--peers` only
 * installs the peers (`npm run test:peers`). Ends with the failures and the line `N passed, N failed`; a run of all tests
 * also has the matrix of connection types.
 */
const args = process.argv.slice(2);
refuseUnknownOptions("npm test", args, [...OWN_OPTIONS, ...RUNNER_OPTIONS]);
const full = args.includes("--full");

const missingPeers = await installPeers({ full });
if (args.includes("--peers")) process.exit(missingPeers.length === 0 ? 0 : 1);
const sources = await readSources();
const changed = args.find((arg) => /^--changed(?:=|$)/u.test(arg));
const { filters, options } = splitArguments(args.filter((arg) => arg !== "--full" && arg !== changed));
const isPart = changed !== undefined || filters.length + options.length > 0;
let tests = chosenTests(filters, sources);
if (tests.length === 0) {
  console.log(`${nothingChosen(filters, sources)}\n0 passed, 1 failed`);
  process.exit(1);
}
if (changed !== undefined) {
  tests = await affectedOf(tests, changed.split("=")[1] ?? "HEAD");
  if (tests.length === 0) {
    console.log("0 passed, 0 failed");
    process.exit(0);
  }
}
// Once, before all tests. A console that cannot be built fails first, with the builder's message.
if (opensConsole(tests, sources)) await buildConsole();

// One more process than two cores: many tests wait for a server, a time limit or a browser.
const first = await run(["--parallel=3", ...options, ...tests.map((test) => `./${test}`)]);
const failedFiles = first.files.filter(({ failed }) => failed > 0);
const again: { before: FileReport; after: TestRun }[] = [];
if (first.exitCode !== 0 && first.isWhole && failedFiles.length > 0 && failedFiles.length <= RUN_AGAIN_MAX_FILES) {
  for (const before of failedFiles) {
    console.log(`\nrun again, alone: ${before.file}\n`);
    again.push({ before, after: await run([...options, `./${before.file}`]) });
  }
}
const unsteadyTests = unsteadySchema.parse(await Bun.file(join(ROOT, "tests/unsteady.json")).json());
const unsteady = sortUnsteady(
  again.map(({ before, after }) => passedAgain(before, after.files[0])),
  unsteadyTests,
);
const steady =
  again.length === 0 ? failedFiles : again.flatMap(({ after }) => after.files.filter(({ failed }) => failed > 0));
const matrixProblems = isPart ? 0 : printMatrix();
console.log(describeFailures([...steady, ...unsteady.unlisted], first.strayErrors));
for (const [files, advice] of [
  [unsteady.listed, "as tests/unsteady.json says"],
  [unsteady.unlisted, "it passed when its file ran again, alone: find the cause"],
] as const) {
  for (const { file, failures } of files) {
    for (const name of failures.length === 0 ? ["the whole file"] : failures.map((each) => each.name))
      console.log(`unsteady: ${file}: ${name} (${advice})`);
  }
}
const { passed, failed, skipped } = countsAfter(
  first.counts,
  again.map(({ before, after }) => ({ before, after: after.counts })),
);
const unlisted = countFailures(unsteady.unlisted);
const listed = countFailures(unsteady.listed);
const allFailed = failed + unlisted;
const isRed = first.exitCode !== 0 && (again.length === 0 || again.some(({ after }) => after.exitCode !== 0));
const isGreen = !isRed && allFailed === 0 && matrixProblems === 0;
if (!isGreen && allFailed === 0) console.log(`The runner ended with code ${first.exitCode}: see above.`);
const parts = [
  `${passed - unlisted} passed`,
  `${Math.max(allFailed, isGreen ? 0 : 1)} failed`,
  ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ...(listed > 0 ? [`${listed} unsteady`] : []),
];
console.log(parts.join(", "));
process.exit(isGreen ? 0 : first.exitCode || 1);

/** Those of these test files that can notice what differs from a commit. */
async function affectedOf(all: readonly string[], commit: string): Promise<string[]> {
  const files = await changedFiles(commit);
  const affected = new Set(testsAffectedBy(files, sources));
  const found = all.filter((test) => affected.has(test));
  console.log(
    files.length === 0
      ? `No file differs from ${commit}: nothing to test.`
      : `What differs from ${commit} can affect ${found.length} of ${all.length} test files.`,
  );
  return found;
}

async function run(runnerArgs: readonly string[]): Promise<TestRun> {
  const scratch = await mkdtemp(join(tmpdir(), "bellhop-test-"));
  try {
    return await runTests(runnerArgs, { scratch, full });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Prints the matrix, and returns how many of its cells and of all actions lack a test that passed. */
function printMatrix(): number {
  const runs = again.map(({ after }) => after);
  const cells = runs.reduce((known, after) => cellsAfter(known, after.cells), first.cells);
  const { text, missing, wrong } = describeMatrix(cells);
  console.log(`\n${text}\n`);
  const ran = [first, ...runs].flatMap(({ actions }) => actions);
  const actions = actionsNotRun(
    ran,
    [first, ...runs].flatMap((each) => each.cells),
  );
  for (const action of actions) console.log(`no test ran ${action} to success: add one to tests/executors`);
  const broken = [first, ...runs].reduce((sum, { brokenCells }) => sum + brokenCells, 0);
  return missing + wrong + broken + actions.length;
}
