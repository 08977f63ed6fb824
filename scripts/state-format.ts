import { closeSync, existsSync, fsyncSync, lstatSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Refused } from "./service/refused.ts";

/**
 * The format of a state directory and of a backup: the names of the objects' classes, the stored data of objects, the
 * database's first migration. It rises when a version cannot read the state of earlier ones. Format 1 was written
 * without a number.
 */
export const STATE_FORMAT = 2;
const FORMAT_FILE = "state-format";

/**
 * Whether this version can read a state directory: `new` has no state yet. Throws when a newer version wrote it.
 * `marks` are files and directories that every state has, with or without a number.
 */
export function ageOfState(directory: string, marks: readonly string[]): "new" | "current" | "earlier" {
  const file = join(directory, FORMAT_FILE);
  if (!existsSync(file)) return marks.some((mark) => existsSync(join(directory, mark))) ? "earlier" : "new";
  const text = readFileSync(file, "utf8").trim();
  if (!/^[1-9]\d{0,8}$/u.test(text))
    throw new Refused(
      `${file} does not hold the number of a format, so nothing was changed: put the number back (this version writes ${STATE_FORMAT}), or use another directory.`,
    );
  const format = Number(text);
  if (format > STATE_FORMAT) {
    throw new Refused(
      `${directory} was written by a newer version (state format ${format}, this version has ${STATE_FORMAT}): use that version, or another directory.`,
    );
  }
  return format === STATE_FORMAT ? "current" : "earlier";
}

/** Atomic: a directory without a number would count as one of an earlier version. */
export function writeFormat(directory: string): void {
  const file = join(directory, FORMAT_FILE);
  const descriptor = openSync(`${file}.new`, "w", 0o600);
  try {
    writeSync(descriptor, `${STATE_FORMAT}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
}

/**
 * The place for the state of an earlier version: `<path>-before-2`, or the first free name of `<path>-before-2-2` and
 * so on.
 */
export function nameForEarlier(path: string): string {
  const name = `${path}-before-${STATE_FORMAT}`;
  if (!isTaken(name)) return name;
  for (let n = 2; ; n += 1) if (!isTaken(`${name}-${n}`)) return `${name}-${n}`;
}

/** A link that leads nowhere counts as taken, too. */
function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
