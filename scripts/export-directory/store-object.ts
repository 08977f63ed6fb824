import { lstat, mkdir, open, rename, rm, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import { dirname, join, relative } from "node:path";
import { syncDirectory } from "../service/files.ts";

/** Unfinished files are apart from the records, so that those of a crash are found at once. */
const PARTIAL = ".partial";

/** The directory is not safe to write to. The message is for people. */
export class UnsafeDirectory extends Error {}

/**
 * Writes a file in place of one with its key. Once it returns, the file survives a loss of power: first its content is
 * on the disk, then its name, then the names of the directories above. Directories that were there are synced, too: a
 * killed process may have made them without that. No test sees a missing sync, because without a loss of power nothing
 * is missing.
 */
export async function storeObject(root: string, key: string, bytes: Uint8Array): Promise<void> {
  requireOwn(root, root, await stat(root));
  const directories = [root];
  for (const name of dirname(key).split("/")) {
    directories.unshift(await ownDirectory(root, join(directories[0] ?? root, name)));
  }
  const partial = join(await ownDirectory(root, join(root, PARTIAL)), crypto.randomUUID());
  try {
    const file = await open(partial, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, join(root, key));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
  for (const directory of directories) await syncDirectory(directory);
}

/** Removes what a crash left unfinished. */
export async function removePartials(root: string): Promise<void> {
  await rm(join(root, PARTIAL), { recursive: true, force: true });
}

async function ownDirectory(root: string, path: string): Promise<string> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  requireOwn(root, path, await lstat(path));
  return path;
}

/** Another user who can write there could put a symbolic link in the place of a directory, also after this check. */
function requireOwn(root: string, path: string, stats: Stats): void {
  if (stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0) return;
  const name = path === root ? "The export directory" : `${relative(root, path)} in the export directory`;
  throw new UnsafeDirectory(
    `${name} must be a directory that belongs to the user of Bellhop, and that no other user can write to.`,
  );
}
