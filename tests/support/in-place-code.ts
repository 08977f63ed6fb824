import type { CodeLanguage } from "../../schema/contract/action.ts";
import { checkCode, renderCode } from "../../worker/domain/template/index.ts";
import type { WordLanguage } from "../../worker/domain/template/in-place.ts";
import { TemplateFailure } from "../../worker/domain/template/failure.ts";
import { Steps } from "../../worker/domain/steps.ts";
import type { Resolve } from "../../worker/domain/template/value.ts";

/** The problems that prevent code from being saved. */
export function codeProblems(
  language: CodeLanguage | "unknown",
  text: string,
  names: ReadonlySet<string> = new Set(),
): string[] {
  return checkCode(language, text, names, new Steps()).problems.map(({ message }) => message);
}

/** The code with its values, or why it is not rendered. */
export function renderedCode(
  language: WordLanguage,
  text: string,
  resolve: Resolve,
  names: ReadonlySet<string> = new Set(),
): { readonly text: string } | { readonly code: string; readonly message: string } {
  try {
    return { text: renderCode(language, text, resolve, names) };
  } catch (error) {
    if (error instanceof TemplateFailure) return error.failure;
    throw error;
  }
}
