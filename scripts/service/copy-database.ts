import { existsSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { syncFile } from "./files.ts";

/**
 * More than any file has: all pages in one step, under one read lock, so that a busy writer cannot make the copy start
 * again.
 */
const ALL_PAGES = 0x7fffffff;
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Copies an SQLite file with concurrent writers, as of one moment, by SQLite's own backup: page by page, so that row
 * numbers stay (node runs and followers rely on theirs). The copy is checked and synced. False when the file no longer
 * exists.
 */
export async function copyDatabase(from: string, to: string): Promise<boolean> {
  if (!existsSync(from)) return false;
  const source = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  requireIntact(to);
  await syncFile(to);
  return true;
}

/** Throws when SQLite finds a problem in a file. Leaves no other file next to it. */
export function requireIntact(path: string): void {
  const database = new DatabaseSync(path);
  try {
    // A copy has no log; in WAL mode the check would leave two more files.
    database.exec("PRAGMA journal_mode = DELETE");
    const rows = database.prepare("PRAGMA integrity_check").all();
    const problems = rows.map((row) => String(row["integrity_check"])).filter((text) => text !== "ok");
    if (problems.length > 0) throw new Error(`${path} is damaged: ${problems.slice(0, 3).join("; ")}`);
  } finally {
    database.close();
  }
}
