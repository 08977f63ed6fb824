import { ExecutorFailure } from "../../shared/failures.ts";
import { quotedWithin } from "../../shared/quoted.ts";

/** The file that a killed process leaves behind, by SQLite's error code for it. */
const LEFTOVERS = new Map([
  ["SQLITE_READONLY_ROLLBACK", "-journal"],
  ["SQLITE_READONLY_RECOVERY", "-wal"],
]);

/** Why a statement failed, from the answer of the process that ran it. */
export function statementFailure(
  error: { code: string; message: string },
  { file, secrets }: { file: string; secrets: readonly string[] },
): ExecutorFailure {
  const { code } = error;
  const said = quotedWithin(error.message, secrets);
  if (/^[a-z]/u.test(code)) return new ExecutorFailure(code, error.message);
  const leftover = LEFTOVERS.get(code);
  if (leftover !== undefined) {
    const message = `${file} cannot be read: a stopped statement has left ${file}${leftover}, and the account of jobs cannot roll it back without write access. Let this account write to the file and its folder, or open the file once with an account that may write.`;
    return new ExecutorFailure("unreachable", message);
  }
  if (code.startsWith("SQLITE_READONLY")) {
    return new ExecutorFailure(
      "read_only",
      `SQLite refused to write to ${file}: ${said} (the action is readOnly, or the file is read-only).`,
    );
  }
  if (code.startsWith("SQLITE_NOTADB")) {
    return new ExecutorFailure(
      "invalid_config",
      `${file} is not a SQLite database: ${said}. Correct the connection's database.`,
    );
  }
  if (code.startsWith("SQLITE_CANTOPEN")) {
    const message = `SQLite could not open ${file}: ${said}. Let the account of jobs write in its folder (files ending in -wal, -shm and -journal).`;
    return new ExecutorFailure("unreachable", message);
  }
  const busy = code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
  const advice = busy
    ? " Another program had locked the database; nothing was changed. Try again, or give the action more time."
    : "";
  return new ExecutorFailure(
    "query_failed",
    `SQLite refused the statement: ${said}${code === "" ? "" : ` (${code})`}.${advice}`,
  );
}
