import { mkdirSync, realpathSync, renameSync } from "node:fs";
import { Refused } from "../service/refused.ts";
import { nameForEarlier } from "../state-format.ts";

/** What every state of `npm start` has. */
export const STATE_MARKS = ["settings.json", "bellhop.db"];

/**
 * Renames a state directory of an earlier version and makes an empty one in its place. Gives where the state is now. To be
 * called by who holds its lock, which goes along: it must be held until the end, so that no one uses both.
 */
export function moveEarlierState(stateDirectory: string): string {
  // A link to the directory stays, and so does the disk that it chose.
  const directory = realpathSync(stateDirectory);
  const aside = nameForEarlier(directory);
  try {
    renameSync(directory, aside);
  } catch (error) {
    throw new Refused(
      `the state in ${directory} is of an earlier version and cannot be moved to ${aside} (${codeOf(error)}): move it yourself, or choose another directory with BELLHOP_STATE=<directory> npm start.`,
    );
  }
  mkdirSync(directory, { mode: 0o700 });
  return aside;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
