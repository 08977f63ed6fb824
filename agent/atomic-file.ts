import { open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Replaces the file at `path` as a whole: a reader sees the old file or the new one, even after a power cut. Mode 0600.
 * `write` fills the temporary file.
 */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const temporary = `${path}.tmp`;
  // A temporary file left by a crash may have another mode or owner, which opening it again would keep.
  await rm(temporary, { force: true });
  const file = await open(temporary, "wx", 0o600);
  try {
    await write(file);
    await file.sync();
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
  await file.close();
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/** Makes a rename or a new file survive a power cut. Windows has no such call and needs none. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
