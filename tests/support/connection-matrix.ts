import { describe, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { expectStages } from "./connection-stages.ts";
import {
  MATRIX_COLUMNS,
  MATRIX_FILE_VARIABLE,
  type MatrixColumn,
  type MatrixEntry,
} from "../../scripts/matrix-columns.ts";

const CELL_TIMEOUT_MS = 60_000;

interface Cell<R> {
  run: () => Promise<R>;
  /** Why this machine cannot run it, such as a missing peer. */
  skip?: string | null;
}
/** A cell that no machine can run gives its reason: "a script has no credentials". */
export type MatrixCells = Record<Exclude<MatrixColumn, "connection test">, Cell<void> | { skip: string }> & {
  /** Returns the `checks` of every connection test that it ran. */
  "connection test": Cell<unknown[]> | { skip: string };
};

/** A connection type's row: every column is a separate test, or is skipped by name with its reason. */
export function connectionMatrix(type: ConnectionType, cells: MatrixCells): void {
  describe(`${type}`, () => {
    for (const column of MATRIX_COLUMNS) {
      const cell = cells[column];
      const name = `${type} × ${column}`;
      const entry = { type, column, testId: crypto.randomUUID() };
      if (!("run" in cell) || typeof cell.skip === "string") {
        const reason = cell.skip ?? "";
        record({ ...entry, state: "skipped", reason });
        test.skip(`${name}: ${reason}`, () => undefined);
        continue;
      }
      const run = async (): Promise<void> => {
        // Written first: a test that breaks off or ends too late has not passed.
        record({ ...entry, state: "failed" });
        expect.hasAssertions();
        const begunAt = performance.now();
        const tests = await cell.run();
        if (Array.isArray(tests)) {
          expect(tests).not.toEqual([]);
          for (const checks of tests) expectStages(type, checks);
        }
        if (performance.now() - begunAt < CELL_TIMEOUT_MS) record({ ...entry, state: "passed" });
      };
      test(name, run, CELL_TIMEOUT_MS);
    }
  });
}

function record(entry: MatrixEntry): void {
  const file = process.env[MATRIX_FILE_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(entry)}\n`);
}
