import type { FieldError } from "../../schema/contract/problem.ts";

/** A problem that blocks saving a draft, or a warning that does not. */
export interface Problem extends FieldError {
  readonly severity: "error" | "warning";
}

export function isError({ severity }: Problem): boolean {
  return severity === "error";
}

/** The problems of a field and its parts as one text; null without any. */
export function problemText(problems: readonly FieldError[], path: string): string | null {
  const found = problems.filter((problem) => isAt(problem.path, path));
  if (found.length === 0) return null;
  return found.map((problem) => problemSentence(problem, path)).join(" ");
}

/** The problems at and below a path, with paths relative to it. */
export function problemsBelow(problems: readonly FieldError[], path: string): FieldError[] {
  return problems.flatMap((problem) =>
    isAt(problem.path, path) ? [{ ...problem, path: problem.path.slice(path.length).replace(/^\./u, "") }] : [],
  );
}

/** The problems that are not at or below any of these paths. */
export function problemsElsewhere<T extends FieldError>(problems: readonly T[], paths: readonly string[]): T[] {
  return problems.filter((problem) => !paths.some((path) => isAt(problem.path, path)));
}

export function hasProblem(problems: readonly FieldError[], paths: readonly string[]): boolean {
  return problems.some((problem) => paths.some((path) => isAt(problem.path, path)));
}

/** A whole sentence for a problem, whose message may be only the rest of one: "is required". */
export function problemSentence({ path, message }: FieldError, at: string): string {
  const below = path.slice(at.length).replace(/^\./u, "");
  // An empty field is the same to a person as a missing one.
  const text =
    below === "" ? message.replace(/^(?:is required|must not be empty)\b/u, "required") : `${below} ${message}`;
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/u.test(capital) ? capital : `${capital}.`;
}

export function isAt(path: string, at: string): boolean {
  return path === at || path.startsWith(`${at}.`);
}
