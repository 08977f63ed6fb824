import { statSync } from "node:fs";
import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";
import { findAccount } from "../../isolation/job-account.ts";
import { closedParents, followed, isWithin, whyHidden } from "./places.ts";
import { JOB_USER, UNIT } from "./unit-file.ts";

const INSTEAD = "Choose another directory, such as /srv/reports";

/**
 * Refuses a --writable that the units cannot grant. `own`: files and directories of the agent itself. Throws
 * CommandRefused (`usage`).
 */
export function refuseWritable(
  writable: readonly string[],
  { user, own }: { user: string; own: readonly string[] },
): void {
  if (user === "root" && writable.length > 0) {
    throw refusal(
      "--writable has no effect with --user root, because jobs run as root and can write everywhere. Leave it out",
    );
  }
  for (const path of writable) {
    const place = followed(path);
    const hidden = whyHidden(place);
    if (hidden !== null) throw refusal(`--writable ${path}: jobs cannot write there: ${hidden}. ${INSTEAD}`);
    const held = own.map(followed).find((file) => isWithin(file, place) || isWithin(place, file));
    if (held !== undefined) {
      throw refusal(`--writable ${path}: jobs could change ${held}, which belongs to the agent. ${INSTEAD}`);
    }
  }
}

/** How a person opens a directory of --writable to jobs; empty when it is open. Install changes no such directory. */
export function howToOpenToJobs(path: string): string[] {
  const gid = findAccount(JOB_USER)?.gid ?? null;
  const closed = closedParents(path, gid).map(
    (parent) => `--writable ${path}: jobs may not enter ${parent}. Allow it: sudo chmod o+x ${parent}`,
  );
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    const make = `sudo install -d -g ${JOB_USER} -m 2770 ${path}`;
    // A waiting job process does not see a new directory, so the service has to be restarted.
    return [
      ...closed,
      `--writable ${path}: the directory does not exist. Make it for jobs: ${make} && sudo systemctl restart ${UNIT}`,
    ];
  }
  const { mode } = found;
  const isOpen = (mode & 0o003) === 0o003 || ((mode & 0o030) === 0o030 && found.gid === gid);
  if (isOpen) return closed;
  const open = `sudo chgrp ${JOB_USER} ${path} && sudo chmod g+rwxs ${path}`;
  return [...closed, `--writable ${path}: jobs may not write to it yet. Open it to their group: ${open}`];
}

function refusal(message: string): CommandRefused {
  return new CommandRefused(EXIT.usage, message);
}
