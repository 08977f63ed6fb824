import { CONNECTION_TYPES } from "../schema/contract/connection.ts";
import { MATRIX_COLUMNS, type MatrixEntry } from "./matrix-columns.ts";

const MARKS = { passed: "run", failed: "FAILED", skipped: "skipped" } as const;

/**
 * The matrix of connection types and what was shown of each, with the reasons of what was skipped below it. `missing`
 * counts the cells that nothing was written of: a row that was forgotten, or a run that broke off.
 */
export function describeMatrix(entries: readonly MatrixEntry[]): { text: string; missing: number } {
  const found = new Map(entries.map((entry) => [`${entry.type}/${entry.column}`, entry]));
  const rows = CONNECTION_TYPES.map((type) => [
    type,
    ...MATRIX_COLUMNS.map((column) => {
      const entry = found.get(`${type}/${column}`);
      return entry === undefined ? "MISSING" : MARKS[entry.state];
    }),
  ]);
  const table = [["connection", ...MATRIX_COLUMNS], ...rows];
  const widths = ["", ...MATRIX_COLUMNS].map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const reasons = [...found.values()]
    .filter(({ state }) => state === "skipped")
    .map(({ type, column, reason }) => `skipped  ${type} × ${column}: ${reason ?? ""}`);
  const missing = table.flat().filter((cell) => cell === "MISSING").length;
  return { text: [...lines, ...reasons].join("\n"), missing };
}
