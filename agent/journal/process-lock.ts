import { Database } from "bun:sqlite";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { describeError } from "../log.ts";

export interface ProcessLock {
  release(): void;
}

/**
 * The lock that lets one process at a time use a journal and a vault (design, "How the invariants are kept"). It is
 * the kernel's own lock on a file, taken through SQLite, which has it on Linux and on Windows: it ends with the process,
 * however that ends, and no process id has to be guessed at after a restart of the machine.
 * Throws StartRefused while another process holds it, `waitMs` and longer.
 */
export function acquireLock(path: string, journalPath: string, waitMs = 0): ProcessLock {
  let database: Database | undefined;
  try {
    database = new Database(path, { create: true });
    database.run(`PRAGMA busy_timeout = ${waitMs}`);
    database.run("PRAGMA journal_mode = MEMORY");
    database.run("BEGIN EXCLUSIVE");
    return { release: () => database?.close() };
  } catch (error) {
    database?.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") {
      throw new StartRefused(
        EXIT.inUse,
        `another bellhop-agent already uses ${journalPath}: stop it, or give this one a VAULT_PATH of its own`,
        { cause: error },
      );
    }
    throw new StartRefused(
      EXIT.cannotCreate,
      `cannot lock ${path} (${describeError(error)}): let VAULT_PATH name a file in a directory that this user may write to`,
      { cause: error },
    );
  }
}
