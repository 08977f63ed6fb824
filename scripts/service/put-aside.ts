import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { requireStopped } from "./is-live.ts";
import { syncDirectory } from "./files.ts";
import type { DatabaseChoice } from "../database-choice.ts";
import { ageOfState, nameForEarlier, writeFormat } from "../state-format.ts";
import { requireBegunWith } from "./deployed-database.ts";
import { Refused } from "./refused.ts";
import {
  DATABASE_DIRECTORY,
  DATABASE_FILE,
  ELSEWHERE_FILE,
  OBJECTS_DIRECTORY,
  RESTORE_MARK,
  SQLD_FILE,
} from "./state.ts";

/** Marks a used state directory, with or without a format number. */
export const STATE_MARKS = [DATABASE_FILE, SQLD_FILE, ELSEWHERE_FILE];

/**
 * Moves the objects and the database into a new directory `aside`; false when there is nothing to move. The database
 * goes last: while it is there, the next start sees and continues an interrupted move.
 */
export async function putAside(state: string, aside: string): Promise<boolean> {
  const present = [OBJECTS_DIRECTORY, DATABASE_DIRECTORY].filter((name) => existsSync(join(state, name)));
  if (present.length === 0) return false;
  await mkdir(aside, { mode: 0o700 });
  for (const name of present) await rename(join(state, name), join(aside, name));
  return true;
}

/**
 * Prepares a state directory for this version. State of an earlier version is moved aside within it: the service's user
 * may not rename the directory itself. Throws when a newer version wrote it, when it began with another database, when
 * a restore to it was interrupted, or when the service runs on it.
 */
export async function prepareState(state: string, choice: DatabaseChoice, say: (line: string) => void): Promise<void> {
  requireRestored(state);
  const age = ageOfState(state, STATE_MARKS);
  if (age === "current") return requireBegunWith(choice, state);
  if (age === "earlier") {
    requireStopped(state);
    const aside = nameForEarlier(join(state, "state"));
    await putAside(state, aside);
    for (const name of [OBJECTS_DIRECTORY, DATABASE_DIRECTORY]) await mkdir(join(state, name), { mode: 0o700 });
    say(`the state of an earlier version was moved to ${aside}. Bellhop starts with empty state.`);
  }
  writeFormat(state);
  await syncDirectory(state);
}

/** Between the two renames of a restore there is no database, and a new one would be made. */
function requireRestored(state: string): void {
  if (!existsSync(join(state, RESTORE_MARK))) return;
  throw new Refused(
    `A restore to ${state} was interrupted. Run it again, with the same backup: bellhopctl restore. ` +
      `The former state is next to it, in before-restore-….`,
    78,
  );
}
