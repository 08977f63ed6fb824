import { Unclear, lineAt, refuseAll, refused } from "./place.ts";
import type { Located, Place } from "./place.ts";
import { ShellReader } from "./shell-reader.ts";

export type ShellDialect = "bash" | "sh";

/**
 * Where the templates of a shell script stand. Accepted are words and parts of words that the shell only passes on: bare
 * (the reference brings its own quotes) and inside double quotes. Refused is every place where the shell, or a command
 * that is known to, would read the value as code, as a name or as arithmetic: bash evaluates `a[$(command)]` there.
 *
 * A script that these rules cannot follow to its end has no place that is known to be safe, so all are refused.
 */
export function locateInShell(dialect: ShellDialect, source: string, count: number): Located {
  const reader = new ShellReader(dialect, source);
  try {
    reader.readScript();
  } catch (error) {
    if (!(error instanceof Unclear)) throw error;
    return refuseAll(
      count,
      `the script cannot be followed from line ${lineAt(source, error.at)} on (${error.message}), so no place in it is ` +
        "known to be safe. Write that part in a simpler way",
    );
  }
  const places: Place[] = [];
  for (let index = 0; index < count; index += 1) {
    places.push(reader.places.get(index) ?? refused("it stands where no value can be passed"));
  }
  return { places, inserts: [] };
}
