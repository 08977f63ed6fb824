import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";

/** Directories where every account of a machine may make files. */
const OPEN_PLACES = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock"];

/** Whether an account has files in these directories. A later job with the same uid would own them. */
export async function hasFiles(uid: number): Promise<boolean> {
  for (const place of OPEN_PLACES) {
    for (const name of await readdir(place, { encoding: "buffer" }).catch(() => [])) {
      const found = await lstat(within(Buffer.from(place), name)).catch(() => null);
      if (found?.uid === uid) return true;
    }
  }
  return false;
}

/** Removes the account's files, with the rights of that account only, so that no link leads to anything else. */
export function removeFiles(uid: number): void {
  for (const place of OPEN_PLACES) {
    for (const path of entries(Buffer.from(place))) {
      attempt(() => {
        if (lstatSync(path).uid === uid) removeTree(path);
      });
    }
  }
}

/** Directories may be nested deeper than a path can be long, so each one is moved to the top before it is emptied. */
function removeTree(top: Buffer): void {
  if (!lstatSync(top).isDirectory()) return unlinkSync(top);
  const raise = (path: Buffer): void => {
    open(path);
    renameSync(path, within(top, Buffer.from(crypto.randomUUID())));
  };
  open(top);
  for (let directories = directoriesIn(top); directories.length > 0; directories = directoriesIn(top)) {
    let removed = 0;
    for (const directory of directories) {
      attempt(() => {
        open(directory);
        for (const path of directoriesIn(directory)) attempt(() => raise(path));
        rmdirSync(directory);
        removed += 1;
      });
    }
    if (removed === 0) break;
  }
  rmdirSync(top);
}

/** Returns the directories and removes all other entries. */
function directoriesIn(directory: Buffer): Buffer[] {
  return entries(directory).filter((path) => {
    if (lstatSync(path).isDirectory()) return true;
    attempt(() => unlinkSync(path));
    return false;
  });
}

/** The owner can open a directory that is closed to the owner. */
function open(directory: Buffer): void {
  chmodSync(directory, 0o700);
}

/** Names as bytes: not every name is UTF-8. */
function entries(directory: Buffer): Buffer[] {
  return (attempt(() => readdirSync(directory, { encoding: "buffer" })) ?? []).map((name) => within(directory, name));
}

function within(directory: Buffer, name: Buffer): Buffer {
  return Buffer.concat([directory, Buffer.from("/"), name]);
}

/** A file that cannot be removed stays, and keeps its account from other jobs. */
function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
