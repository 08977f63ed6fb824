import { Database } from "bun:sqlite";
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { hasCode } from "../atomic-file.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { describeError } from "../log.ts";

export interface ProcessLock {
  release(): void;
}

/**
 * The lock that lets one process at a time use a journal and a vault (docs/design/agent-protocol.md#journal): a kernel
 * lock on a file, taken through SQLite on Linux and Windows, so it ends with the process, and no process id can be
 * mistaken after a restart. Only the owner may read the file: any reader could lock it, and so keep the agent from
 * starting. Throws StartRefused when another process holds the lock for longer than `waitMs`.
 */
export function acquireLock(path: string, journalPath: string, waitMs = 0): ProcessLock {
  let database: Database | undefined;
  try {
    makePrivate(path);
    database = new Database(path, { create: true });
    database.run(`PRAGMA busy_timeout = ${waitMs}`);
    database.run("PRAGMA journal_mode = MEMORY");
    database.run("BEGIN EXCLUSIVE");
    return { release: () => database?.close() };
  } catch (error) {
    database?.close();
    if (hasCode(error, "SQLITE_BUSY")) {
      throw new StartRefused(
        EXIT.inUse,
        isLocked(path)
          ? `another bellhop-agent already uses ${journalPath}: stop it, or give this agent another VAULT_PATH`
          : `another program reads ${path}, so the agent cannot lock it: try again; if that does not help, ` +
              "end the program (fuser names it)",
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

/**
 * Whether an agent, or a command that acts for it, holds the lock. A process that may only read the file can delay the
 * next lock, but cannot make this true: only an exclusive lock, which needs write access, refuses reads. False without
 * a file. Throws when the file cannot be opened.
 */
export function isLocked(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  const database = new Database(path, { readonly: true });
  try {
    database.run("SELECT 1 FROM sqlite_schema");
    return false;
  } catch (error) {
    if (hasCode(error, "SQLITE_BUSY")) return true;
    throw error;
  } finally {
    database.close();
  }
}

/** By name: opening and closing the file independently of SQLite would release this process's lock on it. */
function makePrivate(path: string): void {
  try {
    writeFileSync(path, "", { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  const { uid, mode } = statSync(path);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) chmodSync(path, 0o600);
}
