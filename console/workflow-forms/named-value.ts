import type { CodeLanguage } from "../../schema/contract/action.ts";

type Language = CodeLanguage | "unknown";

/** How code reads a named value; null where that is not known. */
export function referenceTo(name: string, language: Language): string | null {
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

/** How a template is written where there are no quotes yet; null for a language in which templates are not known. */
export function inPlace(template: string, language: Language): string | null {
  if (language === "unknown") return null;
  // In these two a template is part of a string.
  return language === "powershell" || language === "python" ? `'${template}'` : template;
}
