import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";
import type { FileReport } from "./test-report.ts";

const ERROR_MAX_LINES = 20;

/** `tests/unsteady.json`: tests that are known to fail first and pass when their file runs again. */
export const unsteadySchema = z.array(
  z.strictObject({
    file: z.string().refine((file) => existsSync(join(ROOT, file)), "does not exist: remove the entry"),
    /** With the names of its groups: `group > test`. */
    test: z.string(),
    reason: z.string().min(1),
    since: z.iso.date(),
  }),
);
type UnsteadyTest = z.infer<typeof unsteadySchema>[number];

/** For each failed test its file, its name, its error, and the command that runs it alone. */
export function describeFailures(files: readonly FileReport[], strayErrors: readonly string[]): string {
  const ofTests = files.flatMap(({ file, failures, failed, onSqld = false }) => {
    const unnamed = { name: null, error: "The file could not be loaded, or its process ended: see its output above." };
    const all = failures.length === 0 && failed > 0 ? [unnamed] : failures;
    return all.map(({ name, error }) => [
      `✗ ${file}${onSqld ? " (on sqld)" : ""}`,
      name === null ? null : `  ${name}`,
      indent(error),
      `  ${onSqld ? "DATABASE=sqld " : ""}${repeatCommand(file, name)}`,
    ]);
  });
  const outside = strayErrors.map((error) => ["✗ an error outside of any test", indent(error)]);
  const found = [...ofTests, ...outside].map((lines) =>
    lines.filter((line): line is string => line !== null && line !== "").join("\n"),
  );
  return found.length === 0 ? "" : `\nfailed:\n\n${found.join("\n\n")}\n`;
}

/** The failures of a file that did not fail again when it ran alone. One without named failures is steady if it fails. */
export function passedAgain(before: FileReport, after: FileReport | undefined): FileReport {
  const failedAgain = new Set(after?.failures.map(({ name }) => name));
  const failures = before.failures.filter(({ name }) => !failedAgain.has(name));
  const isWhole = before.failures.length === 0 && after?.failed === 0;
  return { ...before, failures, failed: isWhole ? 1 : failures.length };
}

/** Those of these failures that `tests/unsteady.json` lists, and the others. */
export function sortUnsteady(files: readonly FileReport[], known: readonly UnsteadyTest[]) {
  const isListed = (file: string, name: string) => known.some((entry) => entry.file === file && entry.test === name);
  const withFailures = (isKnown: boolean) =>
    files.flatMap((report) => {
      const failures = report.failures.filter(({ name }) => isListed(report.file, name) === isKnown);
      const failed = report.failures.length === 0 && !isKnown ? report.failed : failures.length;
      return failed === 0 ? [] : [{ ...report, failures, failed }];
    });
  return { listed: withFailures(true), unlisted: withFailures(false) };
}

/** How many tests failed. */
export function countFailures(files: readonly FileReport[]): number {
  return files.reduce((sum, { failed }) => sum + failed, 0);
}

/** `(unnamed)` is a hook: only its whole file repeats it. */
function repeatCommand(file: string, name: string | null): string {
  const command = `npm test -- ${file}`;
  if (name === null || name.endsWith("(unnamed)")) return command;
  const pattern = name.replaceAll(" > ", " ").replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
  return `${command} -t '${`^${pattern}$`.replaceAll("'", String.raw`'\''`)}'`;
}

function indent(error: string): string {
  const lines = error.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.length > ERROR_MAX_LINES ? [...lines.slice(0, ERROR_MAX_LINES), "…"] : lines;
  return shown.map((line) => `  ${line}`).join("\n");
}
