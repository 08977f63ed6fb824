import type { CodeLanguage } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { isVariableName, steersPrograms } from "../../../schema/contract/variable-name.ts";

export type NamedKind = "env" | "parameters";

const MAX_CHARS = 50;
/** Variables to which programs give another meaning. */
const USUAL =
  /^(?:HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TERM|TZ|TMPDIR|TMP|TEMP|PWD|MAIL|EDITOR|PAGER|HOSTNAME|OS|ENV|LC_\w+|\w+_PROXY)$/u;

/**
 * The name of a value outside the code, from the end of its path: `TITLE` for `webhook.title`. A name that already has
 * the value is used again; a name with another value, or one that steers programs, is avoided.
 */
export function nameFor(path: readonly string[], template: string, kind: NamedKind, present: JsonObject): string {
  const same = Object.keys(present).find((name) => present[name] === template);
  if (same !== undefined) return same;
  const words = path.map((part) => part.replaceAll(/[^A-Za-z0-9]+/gu, "_").replaceAll(/^_|_$/gu, "")).filter(Boolean);
  const ends = words.map((_, index) => words.slice(-index - 1).join("_"));
  const stem = ends.map((name) => written(name, kind)).find((name) => isAllowed(name, kind)) ?? written("value", kind);
  // Windows ignores case in names.
  const taken = new Set(Object.keys(present).map((name) => name.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}_${number}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/** How code reads a named value; null for languages where this is unknown. */
export function referenceTo(name: string, language: CodeLanguage | "unknown"): string | null {
  switch (language) {
    case "bash":
    case "sh":
      return `"$${name}"`;
    case "powershell":
      return `$env:${name}`;
    case "python":
      return `os.environ["${name}"]`;
    case "sql":
      return `:${name}`;
    case "cmd":
    case "unknown":
      return null;
  }
}

/** Whether a Python script can surely read `os.environ` everywhere. */
export function importsOs(script: string): boolean {
  return /^import os[ \t]*(?:$|[,;#\r])/mu.test(script);
}

function written(name: string, kind: NamedKind): string {
  const short = name.slice(0, MAX_CHARS);
  return kind === "env" ? short.toUpperCase() : short.toLowerCase();
}

function isAllowed(name: string, kind: NamedKind): boolean {
  // Windows ignores case in names; in queries Bellhop reserves the prefix.
  return (
    isVariableName(name) &&
    (kind === "env" ? !steersPrograms(name, true) && !USUAL.test(name) : !name.startsWith("bellhop_"))
  );
}
