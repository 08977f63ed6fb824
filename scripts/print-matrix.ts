import { ACTIONS, isActionName } from "../schema/contract/action.ts";
import { CONNECTION_TYPES, type ConnectionType } from "../schema/contract/connection.ts";
import { MATRIX_COLUMNS, type MatrixEntry } from "./matrix-columns.ts";

/** Cells that fail the whole run, even when the test runner passes. */
const WRONG = new Set(["FAILED", "TWO TESTS", "NO REASON"]);

/**
 * The matrix of connection types, with the reasons for skipped cells below it. `missing` counts cells without an entry:
 * a forgotten row, or a run that broke off. `wrong` counts cells that failed, cells that two tests fill, and cells
 * skipped without a reason.
 */
export function describeMatrix(
  entries: readonly MatrixEntry[],
  types: readonly ConnectionType[] = CONNECTION_TYPES,
): { text: string; missing: number; wrong: number } {
  const rows = types.map((type) => [
    type,
    ...MATRIX_COLUMNS.map((column) =>
      markOf(entries.filter((entry) => entry.type === type && entry.column === column)),
    ),
  ]);
  const table = [["connection", ...MATRIX_COLUMNS], ...rows];
  const widths = ["", ...MATRIX_COLUMNS].map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const reasons = entries
    .filter(({ state }) => state === "skipped")
    .map(({ type, column, reason }) => `skipped  ${type} × ${column}: ${reason ?? ""}`);
  const cells = rows.flat();
  const missing = cells.filter((cell) => cell === "MISSING").length;
  const wrong = cells.filter((cell) => WRONG.has(cell)).length;
  return { text: [...lines, ...reasons].join("\n"), missing, wrong };
}

/** The actions that no test ran to success, but for types whose peer is missing here, as their row says. */
export function actionsNotRun(ran: readonly string[], entries: readonly MatrixEntry[]): string[] {
  const skipped = new Set(
    entries.flatMap(({ type, column, state }) => (column === "action" && state === "skipped" ? type : [])),
  );
  return Object.keys(ACTIONS).filter(
    (action) => isActionName(action) && !ran.includes(action) && !skipped.has(ACTIONS[action].connectionType),
  );
}

function markOf(written: readonly MatrixEntry[]): string {
  if (written.length === 0) return "MISSING";
  if (new Set(written.map(({ testId }) => testId)).size > 1) return "TWO TESTS";
  if (written.some(({ state, reason = "" }) => state === "skipped" && reason.trim() === "")) return "NO REASON";
  if (written.every(({ state }) => state === "skipped")) return "skipped";
  // Every test wrote `failed` before it began: without its `passed` it did not pass.
  const count = (state: MatrixEntry["state"]): number => written.filter((entry) => entry.state === state).length;
  return count("failed") > 0 && count("passed") === count("failed") ? "run" : "FAILED";
}
