import { nearValues } from "../../../schema/contract/nearest-value.ts";
import type { Fix } from "../../../schema/contract/problem.ts";
import { shorten } from "../shown-errors.ts";
import type { Steps } from "../steps.ts";
import type { Template } from "../template/parse.ts";

/** The cost of comparing two names. */
const STEPS_PER_NAME = 5;

interface Names {
  /** The names that may follow a path, as far as they are known. */
  after: (path: readonly string[]) => readonly string[];
  problemOf: (path: readonly string[]) => string | null;
}

/**
 * The fix of a template with a misspelt name: the known name near it that gives the template a value. Null without such
 * a name, and with several. `start` is the position of the template's path in the text at `at`.
 */
export function misspeltFix(
  { path, source }: Template,
  at: string,
  start: number,
  names: Names,
  steps: Steps,
): Fix | null {
  const found = path.flatMap((given, index) => {
    const known = names.after(path.slice(0, index));
    steps.spend(known.length * STEPS_PER_NAME);
    return nearValues(known, given).flatMap((name) => {
      const meant = path.with(index, name);
      return name !== given && names.problemOf(meant) === null ? [{ index, name, meant }] : [];
    });
  });
  const [only] = found;
  const place = only === undefined || found.length > 1 ? null : placeOf(path, only.index, source);
  if (only === undefined || place === null) return null;
  const edit = { path: at, start: start + place.start, end: start + place.end, value: only.name };
  return { title: `Use ${shorten(only.meant.join("."), 60)}`, edits: [edit] };
}

/** The position of a path's name in the template's source; null when it is written with escapes. */
function placeOf(path: readonly string[], index: number, source: string): { start: number; end: number } | null {
  let end = 0;
  let start = 0;
  for (const name of path.slice(0, index + 1)) {
    start = source.indexOf(name, end);
    if (start < 0) return null;
    end = start + name.length;
  }
  return { start, end };
}
