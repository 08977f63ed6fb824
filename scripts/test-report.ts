import type { MatrixEntry } from "./matrix-columns.ts";

/** The database server of a service under test. */
export type TestedDatabase = "ours" | "sqld";

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The result of one test file in a run. */
export interface FileReport extends TestCounts {
  /** The runner's name for the file: its path from the root. */
  file: string;
  failures: TestFailure[];
  /** The service under test ran on sqld. */
  onSqld?: boolean;
}

export interface TestFailure {
  /** The test's name, after those of its groups. */
  name: string;
  /** The runner's report of the failure; empty when it reports nothing. */
  error: string;
}

export interface RunReport {
  counts: TestCounts;
  files: FileReport[];
  /** Whether the runner finished, with a summary whose failures all belong to known files. */
  isWhole: boolean;
  /** Errors outside of tests: a file that could not be loaded, or a promise that was rejected too late. */
  strayErrors: string[];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#10": "\n" };
// oxlint-disable-next-line no-control-regex -- colours, which FORCE_COLOR brings
const COLOURS = /\u001b\[[0-9;]*m/gu;
const TAGS =
  /<(?<end>\/?)(?<name>testsuite|testcase|failure|error)(?=[\s>/])(?<attributes>[^>]*?)(?<empty>\/?)>(?<text>[^<]*)/gu;
const STRAY_ERROR = /^# Unhandled error between tests\n-+\n(?<error>.*?)\n-+$/gmsu;

/**
 * Reads the output of Bun's runner and its JUnit report. A file that could not be loaded, or whose process crashed, is
 * only in the output: it counts as one failure.
 */
export function readRun(printed: string, junit: string): RunReport {
  const text = printed.replaceAll(COLOURS, "");
  const reported = readJunit(junit);
  const known = new Map(reported.map((report) => [report.file, report]));
  for (const [, header, crashed] of text.matchAll(/^(?:(\S+\.test\.ts):|✗ (\S+\.test\.ts) \(.*)$/gmu)) {
    const file = header ?? crashed ?? "";
    if (!known.has(file)) known.set(file, { file, passed: 0, failed: 1, skipped: 0, failures: [] });
  }
  const files = [...known.values()];
  const counts = { passed: countOf(text, "pass"), failed: countOf(text, "fail"), skipped: countOf(text, "skip") };
  const attributed = files.reduce((sum, { failed }) => sum + failed, 0);
  const hasEnd = /^Ran \d+ tests? across \d+ files?\./mu.test(text);
  const strayErrors = [...text.matchAll(STRAY_ERROR)].map(({ groups }) => groups?.["error"] ?? "");
  return { counts, files, isWhole: hasEnd && attributed === counts.failed, strayErrors };
}

/** The counts of a run after some of its files ran again: a file's second run replaces its first. */
export function countsAfter(
  first: TestCounts,
  again: readonly { before: TestCounts; after: TestCounts }[],
): TestCounts {
  const total = { ...first };
  for (const { before, after } of again) {
    for (const name of ["passed", "failed", "skipped"] as const) total[name] += after[name] - before[name];
  }
  return total;
}

/** The matrix after a file ran again. A cell that two tests fill stays wrong. */
export function cellsAfter(first: readonly MatrixEntry[], again: readonly MatrixEntry[]): MatrixEntry[] {
  const sameCell = (a: MatrixEntry, b: MatrixEntry): boolean => a.type === b.type && a.column === b.column;
  const isReplaced = (entry: MatrixEntry): boolean => {
    if (!again.some((other) => sameCell(entry, other))) return false;
    return first.every((other) => !sameCell(entry, other) || other.testId === entry.testId);
  };
  return [...first.filter((entry) => !isReplaced(entry)), ...again];
}

/** Suites are nested; those on the first level are files, and their numbers include the inner ones. */
function readJunit(junit: string): FileReport[] {
  const files: FileReport[] = [];
  let depth = 0;
  let test = "";
  for (const { groups = {} } of junit.matchAll(TAGS)) {
    const { name, end, empty, attributes = "", text = "" } = groups;
    const report = files.at(-1);
    if (name === "testsuite") {
      if (end === "" && depth === 0) files.push(fileReport(attributes));
      depth += end === "/" ? -1 : empty === "/" ? 0 : 1;
    } else if (name === "testcase" && end === "") {
      // The runner names the innermost group first.
      const groupNames = attribute(attributes, "classname").split(" > ").toReversed();
      test = [...groupNames, attribute(attributes, "name")].filter((part) => part !== "").join(" > ");
    } else if (end === "") {
      report?.failures.push({ name: test, error: unescaped(text).trim() || attribute(attributes, "message") });
    }
  }
  return files;
}

function fileReport(attributes: string): FileReport {
  const count = (name: string): number => Number(attribute(attributes, name)) || 0;
  const [failed, skipped] = [count("failures"), count("skipped")];
  const passed = Math.max(0, count("tests") - failed - skipped);
  return { file: attribute(attributes, "file"), passed, failed, skipped, failures: [] };
}

function attribute(attributes: string, name: string): string {
  return unescaped(new RegExp(`(?:^|\\s)${name}="([^"]*)"`, "u").exec(attributes)?.[1] ?? "");
}

function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos|#10);/gu, (entity, known: string) => ENTITIES[known] ?? entity);
}

/** Bun's summary has a line ` 12 pass`; the output of the tests comes before it. */
function countOf(text: string, word: string): number {
  return Number([...text.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gmu"))].at(-1)?.[1] ?? 0);
}
