import { copyFile, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ReleaseStore } from "./publish.ts";

/** A directory of this machine, which workerd's `disk` service serves. Files are readable for every user. */
export function diskStore(directory: string): ReleaseStore {
  return {
    read: async (key) => {
      try {
        return await readFile(join(directory, key));
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
        throw error;
      }
    },
    write: (key, path) => replace(join(directory, key), (aside) => copyFile(path, aside)),
    writeText: (key, text) => replace(join(directory, key), (aside) => writeFile(aside, text)),
  };
}

/** Written under a name that the service does not show, synced, and renamed. */
async function replace(path: string, write: (aside: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  const aside = join(dirname(path), `.publish-${crypto.randomUUID()}`);
  try {
    await write(aside);
    const file = await open(aside, "r+");
    try {
      await file.chmod(0o644);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
  } finally {
    await rm(aside, { force: true });
  }
}
