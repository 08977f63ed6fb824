import { chmod, chown, copyFile, link, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { hasCode, syncDirectory } from "../atomic-file.ts";

const WINDOWS = process.platform === "win32";

export interface ExecutablePaths {
  /** The running executable. */
  current: string;
  /** The previous executable, kept until the next update. */
  previous: string;
  /** The path of a new executable before the swap. It must be executable under this name. */
  fresh: string;
  lock: string;
}

export function executablePaths(current: string): ExecutablePaths {
  const extension = extname(current) === ".exe" ? ".exe" : "";
  const stem = basename(current, extension);
  const hidden = (name: string) => join(dirname(current), `.${stem}.${name}`);
  return {
    current,
    previous: `${current}.previous`,
    fresh: hidden(`new${extension}`),
    lock: hidden("update-lock"),
  };
}

/**
 * Replaces the current executable by the fresh one, and keeps the current one as the previous. After an interruption at
 * any point a whole executable is at `current`. Windows does not replace a running program: there it is at `previous`
 * for the moment between two renames.
 */
export async function putInPlace(
  paths: ExecutablePaths,
  onStep: (step: string) => void = () => undefined,
): Promise<void> {
  const { current, previous, fresh } = paths;
  await takeOverOwner(current, fresh);
  onStep("owner");
  if (WINDOWS) {
    await rm(previous, { force: true });
    await rename(current, previous);
    await rename(fresh, current).catch(async (error: unknown) => {
      await rename(previous, current);
      throw error;
    });
    return;
  }
  await keepAs(current, previous);
  onStep("previous");
  await rename(fresh, current);
  onStep("swapped");
  await syncDirectory(dirname(current));
}

/** Restores the previous executable and removes the one it replaces. */
export async function restorePrevious({ current, previous }: ExecutablePaths): Promise<void> {
  if (WINDOWS) {
    const aside = `${current}.failed`;
    await rm(aside, { force: true });
    await rename(current, aside);
    await rename(previous, current);
    await rm(aside, { force: true }).catch(() => undefined);
    return;
  }
  await rename(previous, current);
  await syncDirectory(dirname(current));
}

/** Swaps the previous and the current executable, so that a rollback can be undone. */
export async function exchange(paths: ExecutablePaths): Promise<void> {
  const { current, previous, fresh } = paths;
  if (WINDOWS) {
    await rm(fresh, { force: true });
    await rename(current, fresh);
    await rename(previous, current);
    await rename(fresh, previous);
    return;
  }
  await keepAs(current, fresh);
  await rename(previous, current);
  await rename(fresh, previous);
  await syncDirectory(dirname(current));
}

/** Makes `name` a second name of the same file, replacing any file of that name. */
async function keepAs(path: string, name: string): Promise<void> {
  const temporary = `${name}.tmp`;
  await rm(temporary, { force: true });
  try {
    await link(path, temporary);
  } catch (error) {
    // Not every file system has links.
    if (!hasCode(error, "EPERM") && !hasCode(error, "ENOTSUP") && !hasCode(error, "EOPNOTSUPP")) throw error;
    await copyFile(path, temporary);
  }
  await rename(temporary, name);
  // When a crash has left two names of one file, rename removes neither (rename(2)).
  await rm(temporary, { force: true });
}

async function takeOverOwner(from: string, to: string): Promise<void> {
  if (WINDOWS) return;
  const { mode, uid, gid } = await stat(from);
  if (process.getuid?.() === 0) await chown(to, uid, gid);
  await chmod(to, mode & 0o777);
}
