import { join } from "node:path";
import { buildConsole } from "./build-console.ts";
import { installPeers } from "./install-peers.ts";
import { ROOT } from "./paths.ts";
import { refuseUnknownOptions } from "./known-options.ts";
import { actionsNotRun, describeMatrix } from "./print-matrix.ts";
import { describeParts, type PartRun, type TestPart, partsOf, runPart, whyNot } from "./test-part.ts";
import { cellsAfter, type TestCounts } from "./test-report.ts";
import {
  changedFiles,
  chosenTests,
  nothingChosen,
  opensConsole,
  readSources,
  splitArguments,
  testsAffectedBy,
  withoutSlow,
} from "./test-selection.ts";
import { countFailures, describeFailures, passedAgain, sortUnsteady, unsteadySchema } from "./test-summary.ts";

const OWN_OPTIONS = ["--full", "--peers", "--changed"];
/** Options of Bun's runner that make sense for a part of the tests. */
const RUNNER_OPTIONS = ["-t", "--test-name-pattern", "--bail", "--timeout", "--rerun-each", "--only"];

/**
 * `npm test`: the tests with their real peers, without those that are slow and rarely break. `-- <path>` runs a part,
 * `-- --changed[=<commit>]` the tests that can notice what differs from a commit (HEAD); both include the files of
 * tests/full-only.json. `--full` (`npm run test:full`) runs everything. Some tests that write run
 * once more on sqld, and with `DATABASE=sqld` all chosen tests run only there. A failed file runs once more,
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
if (!full && !isPart) {
  const quick = await withoutSlow(tests);
  tests = quick.tests;
  for (const line of quick.skipped) console.log(line);
}
const parts = partsOrRefuse();
// Once, before all tests. A console that cannot be built fails first, with the builder's message.
if (opensConsole(tests, sources)) await buildConsole();

const runs: PartRun[] = [];
for (const part of parts) {
  const reason = whyNot(part);
  if (reason === null) runs.push(await runPart(part, { options, full }));
  else console.log(`skipped: ${part.tests.length} files on ${part.database}: ${reason}`);
}
const unsteadyTests = unsteadySchema.parse(await Bun.file(join(ROOT, "tests/unsteady.json")).json());
const unsteady = sortUnsteady(
  runs.flatMap(({ again }) => again.map(({ before, after }) => passedAgain(before, after.files[0]))),
  unsteadyTests,
);
const steady = runs.flatMap(({ first, again }) =>
  (again.length === 0 ? [first] : again.map(({ after }) => after)).flatMap(({ files }) =>
    files.filter(({ failed }) => failed > 0),
  ),
);
const matrixProblems = isPart || parts[0]?.database === "sqld" ? 0 : printMatrix(runs[0]);
const strayErrors = runs.flatMap(({ first }) => first.strayErrors);
console.log(describeFailures([...steady, ...unsteady.unlisted], strayErrors));
for (const [files, advice] of [
  [unsteady.listed, "as tests/unsteady.json says"],
  [unsteady.unlisted, "it passed when its file ran again, alone: find the cause"],
] as const) {
  for (const { file, failures } of files) {
    for (const name of failures.length === 0 ? ["the whole file"] : failures.map((each) => each.name))
      console.log(`unsteady: ${file}: ${name} (${advice})`);
  }
}
const total = (name: keyof TestCounts) => runs.reduce((sum, { counts }) => sum + counts[name], 0);
const unlisted = countFailures(unsteady.unlisted);
const listed = countFailures(unsteady.listed);
const allFailed = total("failed") + unlisted;
const red = runs.find(({ isRed }) => isRed);
const isGreen = red === undefined && allFailed === 0 && matrixProblems === 0;
if (red !== undefined && allFailed === 0) console.log(`The runner ended with code ${red.first.exitCode}: see above.`);
for (const line of describeParts(runs)) console.log(line);
const summary = [
  `${total("passed") - unlisted} passed`,
  `${Math.max(allFailed, isGreen ? 0 : 1)} failed`,
  ...(total("skipped") > 0 ? [`${total("skipped")} skipped`] : []),
  ...(listed > 0 ? [`${listed} unsteady`] : []),
];
console.log(summary.join(", "));
process.exit(isGreen ? 0 : red?.first.exitCode || 1);

function partsOrRefuse(): TestPart[] {
  try {
    return partsOf(tests, { database: process.env["DATABASE"], full, isNamed: filters.length + options.length > 0 });
  } catch (error) {
    console.log(`bellhop: ${error instanceof Error ? error.message : String(error)}\n0 passed, 1 failed`);
    return process.exit(1);
  }
}

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

/** Prints the matrix, and returns how many of its cells and of all actions lack a test that passed. */
function printMatrix(ofAll: PartRun | undefined): number {
  if (ofAll === undefined) return 0;
  const again = ofAll.again.map(({ after }) => after);
  const all = [ofAll.first, ...again];
  const { text, missing, wrong } = describeMatrix(
    again.reduce((known, after) => cellsAfter(known, after.cells), ofAll.first.cells),
  );
  console.log(`\n${text}\n`);
  const actions = actionsNotRun(
    all.flatMap((each) => each.actions),
    all.flatMap(({ cells }) => cells),
  );
  for (const action of actions) console.log(`no test ran ${action} to success: add one to tests/executors`);
  return missing + wrong + all.reduce((sum, { brokenCells }) => sum + brokenCells, 0) + actions.length;
}
