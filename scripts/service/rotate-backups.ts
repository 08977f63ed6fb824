import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isBackupName } from "./manifest.ts";

const PARTIAL = ".partial-";

/**
 * Removes all but the newest `keep` backups, and the remains of interrupted ones; returns their names. Files without a
 * backup's name are left alone. Called when a backup is complete, so that a failing one never costs an older one.
 */
export async function rotateBackups(directory: string, keep: number): Promise<string[]> {
  const names = (await readdir(directory)).sort();
  const complete = names.filter(isBackupName);
  const partial = names.filter((name) => name.startsWith(PARTIAL) && isBackupName(name.slice(PARTIAL.length)));
  const superfluous = [...complete.slice(0, Math.max(0, complete.length - keep)), ...partial];
  for (const name of superfluous) await rm(join(directory, name), { recursive: true, force: true });
  return superfluous;
}
