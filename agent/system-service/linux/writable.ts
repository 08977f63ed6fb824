import { statSync } from "node:fs";
import { findAccount } from "../../isolation/job-account.ts";
import { JOB_USER, UNIT } from "./unit-file.ts";

/** Says how to open a directory of --writable to jobs, where its owner has not: install changes no directory of others. */
export function howToOpenToJobs(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    const make = `sudo install -d -g ${JOB_USER} -m 2770 ${path}`;
    // A job's process that waits for its job has seen the disk without it.
    return `--writable ${path}: it is not there. Make it for jobs: ${make} && sudo systemctl restart ${UNIT}`;
  }
  const { gid, mode } = found;
  const isOpen = (mode & 0o003) === 0o003 || ((mode & 0o030) === 0o030 && gid === findAccount(JOB_USER)?.gid);
  if (isOpen) return null;
  return `--writable ${path}: jobs may not write to it yet. Open it to their group: sudo chgrp ${JOB_USER} ${path} && sudo chmod g+rwxs ${path}`;
}
