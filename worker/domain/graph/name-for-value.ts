import type { JsonObject } from "../../../schema/contract/json.ts";
import { isVariableName, steersPrograms } from "../../../schema/contract/variable-name.ts";

export type NamedKind = "env" | "parameters";

const MAX_CHARS = 50;
/** Variables that programs expect to mean something else. */
const USUAL =
  /^(?:HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TERM|TZ|TMPDIR|TMP|TEMP|PWD|MAIL|EDITOR|PAGER|HOSTNAME|OS|ENV|LC_\w+|\w+_PROXY)$/u;

/**
 * What a value is called beside the code, by the end of its path: `TITLE` for `webhook.title`. A name that has the value
 * already is taken again; one that has another, or that steers programs, is not.
 */
export function nameFor(path: readonly string[], template: string, kind: NamedKind, present: JsonObject): string {
  const same = Object.keys(present).find((name) => present[name] === template);
  if (same !== undefined) return same;
  const words = path.map((part) => part.replaceAll(/[^A-Za-z0-9]+/gu, "_").replaceAll(/^_|_$/gu, "")).filter(Boolean);
  const ends = words.map((_, index) => words.slice(-index - 1).join("_"));
  const stem = ends.map((name) => written(name, kind)).find((name) => isAllowed(name, kind)) ?? written("value", kind);
  // Windows takes names in any case.
  const taken = new Set(Object.keys(present).map((name) => name.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}_${number}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

function written(name: string, kind: NamedKind): string {
  const short = name.slice(0, MAX_CHARS);
  return kind === "env" ? short.toUpperCase() : short.toLowerCase();
}

function isAllowed(name: string, kind: NamedKind): boolean {
  // Windows takes names in any case; a query has the prefix for itself as well.
  return (
    isVariableName(name) &&
    (kind === "env" ? !steersPrograms(name, true) && !USUAL.test(name) : !name.startsWith("bellhop_"))
  );
}
