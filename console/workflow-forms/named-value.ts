import type { CodeLanguage } from "../../schema/contract/action.ts";

type Language = CodeLanguage | "unknown";

/** How a template is written outside of quotes; null for a language without templates. */
export function inPlace(template: string, language: Language): string | null {
  if (language === "unknown") return null;
  // In these two a template is part of a string.
  return language === "powershell" || language === "python" ? `'${template}'` : template;
}
