import { z } from "zod";
import type { FileReport } from "./test-report.ts";

const ERROR_MAX_LINES = 20;

/** `tests/unsteady.json`: tests that are known to fail first and pass when their file runs again. */
export const unsteadySchema = z.array(
  z.strictObject({
    file: z.string(),
    /** With the names of its groups: `group > test`. */
    test: z.string(),
    reason: z.string().min(1),
    since: z.iso.date(),
  }),
);
type UnsteadyTest = z.infer<typeof unsteadySchema>[number];

/** For each failed test its file, its name, its error, and the command that runs it alone. */
export function describeFailures(files: readonly FileReport[], strayErrors: readonly string[]): string {
  const ofTests = files.flatMap(({ file, failures, failed }) => {
    const unnamed = { name: null, error: "The file could not be loaded, or its process ended: see its output above." };
    const all = failures.length === 0 && failed > 0 ? [unnamed] : failures;
    return all.map(({ name, error }) => [
      `✗ ${file}`,
      name === null ? null : `  ${name}`,
      indent(error),
      `  ${repeatCommand(file, name)}`,
    ]);
  });
  const outside = strayErrors.map((error) => ["✗ an error outside of any test", indent(error)]);
  const found = [...ofTests, ...outside].map((lines) =>
    lines.filter((line): line is string => line !== null && line !== "").join("\n"),
  );
  return found.length === 0 ? "" : `\nfailed:\n\n${found.join("\n\n")}\n`;
}

/** The unsteady tests of these files, known ones apart. All of them failed first and passed when run again. */
export function sortUnsteady(
  files: readonly FileReport[],
  known: readonly UnsteadyTest[],
): { listed: string[]; unlisted: string[] } {
  const isListed = (file: string, name: string) => known.some((entry) => entry.file === file && entry.test === name);
  const names = files.flatMap(({ file, failures }) =>
    (failures.length === 0 ? [""] : failures.map(({ name }) => name)).map((name) => ({ file, name })),
  );
  const texts = (isKnown: boolean) =>
    names
      .filter(({ file, name }) => isListed(file, name) === isKnown)
      .map(({ file, name }) => (name === "" ? file : `${file}: ${name}`));
  return { listed: texts(true), unlisted: texts(false) };
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
