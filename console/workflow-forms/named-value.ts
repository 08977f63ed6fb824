import type { CodeLanguage } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { isVariableName, steersPrograms } from "../../schema/contract/variable-name.ts";

export type NamedValues = "env" | "parameters";

const MAX_CHARS = 50;

/**
 * What a value is called beside the code, by the end of its path: `TITLE` for `webhook.title`. A name that has the value
 * already is taken again; one that has another, or that steers programs, is not.
 */
export function nameFor(path: readonly string[], template: string, kind: NamedValues, present: JsonObject): string {
  const words = path.map((part) => part.replaceAll(/[^A-Za-z0-9]+/gu, "_").replaceAll(/^_|_$/gu, "")).filter(Boolean);
  const ends = words.map((_, index) => words.slice(-index - 1).join("_"));
  const stem = ends.map((name) => written(name, kind)).find((name) => isAllowed(name, kind)) ?? written("value", kind);
  const taken = new Map(Object.entries(present).map(([name, value]) => [name.toLowerCase(), { name, value }]));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}_${number}`;
    const there = taken.get(name.toLowerCase());
    if (there === undefined) return name;
    if (there.value === template) return there.name;
  }
}

function written(name: string, kind: NamedValues): string {
  const short = name.slice(0, MAX_CHARS);
  return kind === "env" ? short.toUpperCase() : short.toLowerCase();
}

function isAllowed(name: string, kind: NamedValues): boolean {
  // Windows takes names in any case; a query has the prefix for itself as well.
  return isVariableName(name) && (kind === "env" ? !steersPrograms(name, true) : !name.startsWith("bellhop_"));
}

type Language = CodeLanguage | "unknown";

/** How code uses a named value: what is inserted, and how a person writes it inside quotes. Null: it is not known. */
export function referenceTo(name: string, language: Language): { inserted: string; typed: string } | null {
  switch (language) {
    case "bash":
    case "sh":
      return { inserted: `"$${name}"`, typed: `$${name}` };
    case "powershell":
      return { inserted: `$env:${name}`, typed: `$env:${name}` };
    case "python":
      return { inserted: `os.environ["${name}"]`, typed: `os.environ["${name}"]` };
    case "sql":
      return { inserted: `:${name}`, typed: `:${name}` };
    case "cmd":
    case "unknown":
      return null;
  }
}

/** How a template is written where there are no quotes yet; null for a language in which templates are not known. */
export function inPlace(template: string, language: Language): string | null {
  if (language === "unknown") return null;
  // In these two a template is part of a string.
  return language === "powershell" || language === "python" ? `'${template}'` : template;
}
