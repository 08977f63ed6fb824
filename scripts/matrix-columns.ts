/** What is shown for every connection type; the order is that of the printed matrix. */
export const MATRIX_COLUMNS = [
  "action",
  "bad credentials",
  "unreachable",
  "time-out",
  "cancel",
  "oversize output",
  "connection test",
] as const;
export type MatrixColumn = (typeof MATRIX_COLUMNS)[number];

/** One line of the file that a run writes and `npm test` prints as a matrix. */
export interface MatrixEntry {
  type: string;
  column: MatrixColumn;
  /** Of the test that fills the cell: there is one. */
  testId: string;
  /** `failed` is written before each run, and `passed` after it. */
  state: "passed" | "failed" | "skipped";
  /** Why it was skipped. */
  reason?: string;
}

/** Another line of that file: an action that some test ran to success. */
export interface ActionRun {
  ran: string;
}

/** Where a run writes its entries; unset: nowhere. */
export const MATRIX_FILE_VARIABLE = "BELLHOP_MATRIX_FILE";
