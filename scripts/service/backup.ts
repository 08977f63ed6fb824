import { existsSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { lockState } from "../local/state-lock.ts";
import { STATE_FORMAT, ageOfState } from "../state-format.ts";
import { isRunning } from "./is-live.ts";
import { copyDatabase } from "./copy-database.ts";
import { databaseOf } from "./deployed-database.ts";
import { MANIFEST, nameOfBackup } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { STATE_MARKS } from "./put-aside.ts";
import { Refused } from "./refused.ts";
import { rotateBackups } from "./rotate-backups.ts";
import { sumOf, syncDirectory } from "./files.ts";
import { DATABASE_FILE, OBJECTS_DIRECTORY, SQLD_FILE } from "./state.ts";

export interface BackupOptions {
  /** The service's state directory. */
  state: string;
  /** The directory of backups, each in a directory named by its time. */
  to: string;
  /** How many backups stay, this one included. */
  keep: number;
  say(line: string): void;
  now?: () => Date;
}

/**
 * Copies a running deployment and returns the new backup's path. The files are snapshots of different moments, the
 * objects first and the database last: so an event that a gate accepted before the backup began is in the gate's inbox
 * or its execution is in the database, while in the other order it could be in neither. restore.ts says what that means
 * for restoring.
 */
export async function backUp(options: BackupOptions): Promise<string> {
  const database = databaseOf(options.state);
  if (database === null) {
    throw new Refused(`There is no database in ${options.state}. Give the service's state directory: --state DIR.`);
  }
  if (database !== "ours" && database !== "sqld") {
    throw new Refused(
      `The database is at ${database}, and a backup of this machine alone could not be restored. Nothing was copied: see "Another database" in docs/deploy/one-machine.md.`,
    );
  }
  if (ageOfState(options.state, STATE_MARKS) !== "current") {
    throw new Refused(`The state in ${options.state} is of an earlier version. Back it up with that version.`);
  }
  await mkdir(options.to, { recursive: true, mode: 0o700 });
  const lock = lockState(options.to);
  if (lock === null) throw new Refused(`Another backup to ${options.to} is running. Wait until it has ended.`);
  try {
    return await copyEverything(options, database);
  } finally {
    lock.release();
  }
}

async function copyEverything(
  { state, to, keep, say, now = () => new Date() }: BackupOptions,
  database: Manifest["database"],
): Promise<string> {
  const startedAt = now();
  const path = join(to, nameOfBackup(startedAt));
  const partial = join(to, `.partial-${nameOfBackup(startedAt)}`);
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const ranBefore = isRunning(state);
  const files: Manifest["files"] = [];
  for (const file of [...(await objectFiles(state)), DATABASE_FILE]) {
    const copy = join(partial, file);
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    // An object that is emptied at this moment may remove its file.
    const source = file === DATABASE_FILE && database === "sqld" ? SQLD_FILE : file;
    if (!(await copyDatabase(join(state, source), copy))) continue;
    files.push({ path: file, bytes: Bun.file(copy).size, sha256: await sumOf(copy) });
  }
  const manifest: Manifest = {
    format: STATE_FORMAT,
    startedAt: startedAt.toISOString(),
    finishedAt: now().toISOString(),
    // The service may have been started during the backup.
    whileRunning: ranBefore || isRunning(state),
    database,
    files,
  };
  await writeFile(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  await syncDirectory(partial);
  await rename(partial, path);
  await syncDirectory(to);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  say(`backed up the database and ${files.length - 1} object files, ${(bytes / 1_048_576).toFixed(1)} MiB, to ${path}`);
  for (const removed of await rotateBackups(to, keep)) say(`removed ${removed}: the newest ${keep} stay`);
  return path;
}

async function objectFiles(state: string): Promise<string[]> {
  const objects = join(state, OBJECTS_DIRECTORY);
  // A Worker that has never run has none.
  if (!existsSync(objects)) return [];
  const files = await Array.fromAsync(new Glob("*/*.sqlite").scan({ cwd: objects }));
  return files.sort().map((file) => join(OBJECTS_DIRECTORY, file));
}
