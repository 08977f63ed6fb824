import type { CodeLanguage } from "../../schema/contract/action.ts";

type Language = CodeLanguage | "unknown";

/** How code reads a named value; null for languages where this is unknown. */
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

/** How a template is written outside of quotes; null for a language without templates. */
export function inPlace(template: string, language: Language): string | null {
  if (language === "unknown") return null;
  // In these two a template is part of a string.
  return language === "powershell" || language === "python" ? `'${template}'` : template;
}
