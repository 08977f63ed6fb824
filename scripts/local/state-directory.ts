import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refused } from "../service/refused.ts";

/** The size of a new state, with some room: a disk with less is as good as full. */
const ROOM_BYTES = 12 * 1024 * 1024;
const NO_PERMISSION = "this account may not write there";
const DISK_FULL = `its disk has less than ${ROOM_BYTES / 1024 / 1024} MiB free`;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "the directory cannot be created there",
  EEXIST: "it is a file",
  ENOTDIR: "it is below a file",
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: "its disk is read-only",
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
};

/** Makes the directory if it is missing. Throws Refused when it cannot hold a state. */
export function makeStateDirectory(stateDirectory: string): void {
  const probe = join(stateDirectory, `probe-${process.pid}`);
  try {
    mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(probe, Buffer.alloc(ROOM_BYTES), { mode: 0o600 });
    } finally {
      rmSync(probe, { force: true });
    }
  } catch (error) {
    throw new Refused(
      `the state cannot be kept in ${stateDirectory}: ${reasonOf(error)}. Change that, or choose another directory: BELLHOP_STATE=<directory> npm start.`,
    );
  }
}

function reasonOf(error: unknown): string {
  const known = error instanceof Error && "code" in error ? REASONS[String(error.code)] : undefined;
  return known ?? String(error);
}
