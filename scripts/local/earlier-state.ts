import { mkdirSync, realpathSync, renameSync } from "node:fs";
import { Refused } from "../service/refused.ts";
import { nameForEarlier } from "../state-format.ts";

/** Files that every state of `npm start` has. */
export const STATE_MARKS = ["settings.json", "bellhop.db"];

/**
 * Renames a state directory of an earlier version and makes an empty one under the old name. Returns the new place of
 * the old state. The caller holds the lock, which moves with the old state, and must keep it until the end, so that
 * both have one user.
 */
export function moveEarlierState(stateDirectory: string): string {
  // A link to the directory stays, and with it the disk that the link chose.
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
