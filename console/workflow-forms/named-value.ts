import type { CodeLanguage } from "../../schema/contract/action.ts";

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
