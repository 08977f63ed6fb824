import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { requireStopped } from "./is-live.ts";
import { syncDirectory } from "./files.ts";
import { DATABASE_DIRECTORY, DATABASE_FILE, OBJECTS_DIRECTORY } from "./state.ts";
import { ageOfState, nameForEarlier, writeFormat } from "../state-format.ts";

/** Marks a used state directory, with or without a format number. */
export const STATE_MARKS = [DATABASE_FILE];

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
 * may not rename the directory itself. Throws when a newer version wrote it, or when the service runs on it.
 */
export async function prepareState(state: string, say: (line: string) => void): Promise<void> {
  const age = ageOfState(state, STATE_MARKS);
  if (age === "current") return;
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
