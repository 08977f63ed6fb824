/** What each connection type must prove, in the order of the printed matrix. */
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
  /** The test that fills the cell; each cell has one. */
  testId: string;
  /** `failed` is written before each run, `passed` after it. */
  state: "passed" | "failed" | "skipped";
  /** Why the test was skipped. */
  reason?: string;
}

/** Another line of that file: an action that some test ran to success. */
export interface ActionRun {
  ran: string;
}

/** Where a run writes its entries; unset: nowhere. */
export const MATRIX_FILE_VARIABLE = "BELLHOP_MATRIX_FILE";
