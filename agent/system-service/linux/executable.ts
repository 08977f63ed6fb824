import { statSync } from "node:fs";
import { chmod, copyFile, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { syncDirectory } from "../../atomic-file.ts";
import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";
import { openPlaces } from "./open-places.ts";
import { closedParents, whyHidden } from "./places.ts";

const INSTALLED = "/usr/local/bin/bellhop-agent";
const ROOT = 0;

/**
 * The path of the service's executable: this one, if only root can change it and its directories and the units can
 * start it; otherwise a copy in /usr/local/bin. An account that can change the executable of a service has that
 * service's rights.
 */
export async function serviceExecutable(): Promise<{ path: string; copyFrom: string | null }> {
  const own = await realpath(process.execPath);
  if (/^bun(\.exe)?$/u.test(basename(own))) {
    throw new CommandRefused(
      EXIT.usage,
      "a service needs the built executable: build it with npm run build:agent, then run that executable",
    );
  }
  return canBeStarted(own) && (await isRootsAlone(own))
    ? { path: own, copyFrom: null }
    : { path: INSTALLED, copyFrom: own };
}

/** Replaces the file as a whole: a reader sees the old file or the new one. A running process keeps the old file. */
export async function copyExecutable(from: string, to: string): Promise<void> {
  const temporary = `${to}.new`;
  await rm(temporary, { force: true });
  try {
    await copyFile(from, temporary);
    await chmod(temporary, 0o755);
    const file = await open(temporary, "r+");
    await file.sync().finally(() => file.close());
    await rename(temporary, to);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(to));
}

async function isRootsAlone(path: string): Promise<boolean> {
  return (await openPlaces(path, new Set([ROOT]))).length === 0;
}

/** The agent's account and those of jobs start the executable inside their units. */
function canBeStarted(path: string): boolean {
  const isExecutable = (statSync(path).mode & 0o005) === 0o005;
  return isExecutable && whyHidden(path) === null && closedParents(path).length === 0;
}
